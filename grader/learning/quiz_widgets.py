"""The quiz as widgets in a notebook: options to click, fields to type in, and buttons for everything else."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets

from grader.core.marks import plain
from grader.core.model import Lang, Message, Text
from grader.core.page import Page
from grader.core.typesetting.html_page import HtmlPage
from grader.course.items import Choice, numbers
from grader.learning import log, quiz_session, quiz_view

if TYPE_CHECKING:
    from grader.learning.log import Event
    from grader.learning.quiz_session import Action, QuizCard, Session

_STYLE = Path(__file__).with_suffix(".css")
_PARTNER = Message("choose")
_BUTTONS: dict[Action, Text] = {
    "skip": Message("Skip"),
    "back": Message("Back"),
    "key": Message("Show the answer"),
    "lang": Message("中文"),
    "quit": Message("Quit"),
}
_SUBMIT = Message("Submit")
_NEXT = Message("Next")
_YES = Message("Yes, that is it")
_COMPARE = Message("Compare")
_LATER = Message("Not now")


#: What is typed in a terminal to say that a formula was read as it was meant.
_CONFIRMED = quiz_session.TypedAnswer("y")


class QuizWidgets:
    """Shows ``session`` in a box, one item at a time. ``save`` gets the events of each step before they are shown."""

    def __init__(self, session: Session, save: Callable[[tuple[Event, ...]], None]) -> None:
        self.box = ipywidgets.VBox()
        self.session = replace(session, confirms=True)  # somebody is there to say what a formula means
        self._save = save
        self._read: Callable[[], str] = str
        self._show([])

    def act(self, action: Action) -> None:
        """Takes one step: what a click on a button does."""
        card = quiz_session.current(self.session)
        turn = quiz_session.step(self.session, action, log.now())
        self._save(turn.events)
        self.session = turn.session
        shown = []
        if card is not None and turn.feedback is not None:
            shown = [self._written(lambda page: quiz_view.feedback(page, turn.feedback, card, buttons=True))]
        again = isinstance(turn.feedback, (quiz_session.UnreadableAnswer, quiz_session.ReadingToConfirm))
        written = action.text if isinstance(action, (quiz_session.TypedAnswer, quiz_session.UnreadLine)) else ""
        self._show(shown, written if again else "")

    def submit(self) -> None:
        """Submits what is selected or typed."""
        card = quiz_session.current(self.session)
        answer = self._read().strip()
        if card is not None and answer:
            typed = card.asked.form == "order"
            self.act(quiz_session.read(answer, card.asked) if typed else quiz_session.TypedAnswer(answer))

    def _show(self, feedback: list[Any], typed: str = "") -> None:
        """Shows the item, feedback, and a field. An answer that was ``typed`` but not judged stays in the field."""
        card = quiz_session.current(self.session)
        if card is None:
            summary = quiz_session.summary(self.session)
            self.box.children = [*feedback, self._written(lambda page: quiz_view.summary(page, summary))]
            return
        asked = self._written(lambda page: quiz_view.card(page, card, keys=True, buttons=True))
        if card.record.settled:
            self.box.children = [asked, *feedback, self._after(card)]
        elif card.compares:
            boxes, self._read = _points(card, self.session.lang)
            buttons = [
                self._button(_COMPARE, self.submit, primary=True),
                self._button(_LATER, functools.partial(self.act, "next")),
            ]
            self.box.children = [*feedback, asked, boxes, ipywidgets.HBox(buttons)]
        else:
            field, self._read = _field(card, self.session.lang, typed)
            buttons = [self._button(_SUBMIT, self.submit, primary=self.session.doubted is None)]
            if self.session.doubted is not None:
                buttons.insert(0, self._button(_YES, functools.partial(self.act, _CONFIRMED), primary=True))
            buttons += [self._button(text, functools.partial(self.act, action)) for action, text in _BUTTONS.items()]
            self.box.children = [asked, field, *feedback, ipywidgets.HBox(buttons)]

    def _after(self, card: QuizCard) -> Any:
        buttons = [self._button(_NEXT, functools.partial(self.act, "next"), primary=True)]
        if self.session.offer is not None:
            buttons.append(self._button(Message("Follow-up"), functools.partial(self.act, "follow")))
        return ipywidgets.HBox(buttons)

    def _button(self, text: Text, do: Callable[[], None], *, primary: bool = False) -> Any:
        style = "primary" if primary else ""
        button = ipywidgets.Button(description=text.of(self.session.lang), button_style=style)
        button.on_click(lambda _: do())
        return button

    def _written(self, write: Callable[[Page], None]) -> Any:
        """What is written to a page, with formulas and code typeset."""
        page = HtmlPage(self.session.lang)
        write(page)
        return ipywidgets.HTML(
            f'<style>{_STYLE.read_text("utf-8")}</style><div class="attncheck-quiz">{page.html}</div>'
        )


def _points(card: QuizCard, lang: Lang) -> tuple[Any, Callable[[], str]]:
    """A box to tick for each key point, and a function that gives the answer: 0 if none is ticked."""
    none = quiz_session.NONE.id
    points = [(plain(choice.text.of(lang)), choice.id) for choice in card.asked.choices if choice.id != none]
    return _boxes(points, none)


def _boxes(options: Sequence[tuple[str, str]], nothing: str = "") -> tuple[Any, Callable[[], str]]:
    """A box to tick for each of ``options`` (text, id), and a function that gives the answer."""
    wide = ipywidgets.Layout(width="auto")
    boxes = [(ipywidgets.Checkbox(description=text, indent=False, layout=wide), name) for text, name in options]
    chosen = ipywidgets.VBox([box for box, _ in boxes])
    return chosen, lambda: ", ".join(name for box, name in boxes if box.value) or nothing


def _numbered(choices: Sequence[Choice], lang: Lang, *, listed: bool) -> list[tuple[str, str]]:
    """Each of ``choices`` as (its number, and its text unless that is ``listed`` above; its id)."""
    names = numbers(choices)
    texts = ["" if listed else f"  {choice.text.of(lang)}" for choice in choices]
    return [(f"{names[choice.id]}{text}", choice.id) for choice, text in zip(choices, texts, strict=True)]


def _field(card: QuizCard, lang: Lang, typed: str) -> tuple[Any, Callable[[], str]]:
    """Where to answer ``card``, and a function that gives the answer: in ids, or as typed (empty: nothing yet).

    A field for text begins with ``typed``.
    """
    asked = card.asked
    listed = quiz_view.listed(asked)
    options, partners = (_numbered(choices, lang, listed=listed) for choices in (asked.choices, asked.partners))
    if asked.form == "one":
        radio = ipywidgets.RadioButtons(options=options, value=None, layout=ipywidgets.Layout(width="auto"))
        return radio, lambda: radio.value or ""
    if asked.form == "many":
        return _boxes(options)
    if asked.form == "pairs":
        empty = (_PARTNER.of(lang), "")
        rows = [
            (ipywidgets.Label(label), ipywidgets.Dropdown(options=[empty, *partners]), name) for label, name in options
        ]
        box = ipywidgets.VBox([ipywidgets.HBox([label, menu]) for label, menu, _ in rows])
        return box, lambda: ", ".join(f"{name}-{menu.value}" for _, menu, name in rows if menu.value)
    if asked.form == "lines":
        lines = ipywidgets.Textarea(value=typed, rows=6, layout=ipywidgets.Layout(width="95%"))
        return lines, lambda: str(lines.value)
    line = ipywidgets.Text(value=typed, layout=ipywidgets.Layout(width="60%"))
    return line, lambda: str(line.value)

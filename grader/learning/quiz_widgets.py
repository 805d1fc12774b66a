"""The quiz as widgets in a notebook: options to click, fields to type in, and buttons for everything else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets
import jinja2
from markupsafe import Markup

from grader.core.marks import bare, lines
from grader.core.model import Lang, Message, Text
from grader.core.page import Page
from grader.core.tables import texts
from grader.core.typesetting.html import prose, typeset, visible
from grader.core.typesetting.html_page import HtmlPage
from grader.course import items
from grader.learning import log, quiz_session, quiz_view
from grader.learning.entries import Entry, ShownChoice, answer_text, given_answer, partner_field, shown_choices

if TYPE_CHECKING:
    from grader.learning.log import Event
    from grader.learning.quiz_session import Action, Feedback, QuizCard, Session

_PARTNER = Message("choose")
_ACTIONS: tuple[Action, ...] = ("skip", "key", "back", "lang", "quit")
_CHECK = Message("Check", "button")
_YES = Message("Yes, that is it")
_HERE = Path(__file__).parent


#: What is typed in a terminal to say that a formula was read as it was meant.
_CONFIRMED = quiz_session.TypedAnswer("y")


class QuizWidgets:
    """Shows ``session`` in a box, one item at a time. ``save`` gets the events of each step before they are shown."""

    def __init__(self, session: Session, save: Callable[[tuple[Event, ...]], None]) -> None:
        self.box = ipywidgets.VBox()
        self.box.add_class("attncheck-quiz")
        self.session = replace(session, confirms=True)  # somebody is there to say what a formula means
        self._save = save
        self._read: Callable[[], Entry] = dict
        self._entered: dict[str, Entry] = {}
        self._show()

    def act(self, action: Action) -> None:
        """Takes one step: what a click on a button does. What was entered stays in the fields of its item."""
        card = self._card_with_entry()
        turn = quiz_session.step(self.session, action, log.now())
        self._save(turn.events)
        self.session = turn.session
        self._show(turn.feedback, card)

    def submit(self) -> None:
        """Submits what is selected or typed."""
        card = self._card_with_entry()
        if card is None:
            return
        answer = answer_text(card.asked, self._entered[card.item.id]) or ("0" if card.compares else "")
        if answer:
            self.act(quiz_session.TypedAnswer(answer))
        else:
            self._show(quiz_session.UnreadableAnswer(Message("Choose or write an answer first.")), card)

    def _card_with_entry(self) -> QuizCard | None:
        """The item that is asked, after what is in its fields was kept."""
        card = quiz_session.current(self.session)
        if card is not None:
            self._entered[card.item.id] = self._read()
        return card

    def _show(self, feedback: Feedback | None = None, answered: QuizCard | None = None) -> None:
        """Shows the item, its fields, and the ``feedback`` on the card that was ``answered``."""
        card, lang = quiz_session.current(self.session), self.session.lang
        settled = card is not None and card.record.settled
        if card is not None and settled and not isinstance(feedback, _ABOUT_SETTLED):
            feedback, answered = quiz_session.settled(self.session), card
        said = [] if feedback is None or answered is None else [self._feedback(feedback, answered)]
        if card is None:
            summary = quiz_session.summary(self.session)
            parts = [*said, self._written(lambda page: quiz_view.summary(page, summary))]
        else:
            parts = [_html(_macros().question(card, quiz_view.worth(card.item), lang))]
            if settled or card.compares:
                prompt = items.ask(card.item, card.context)
                given = given_answer(card.item, prompt, self.session.record(card.item.id), lang)
                parts.append(_html(_macros().given(given, lang)))
            self._read = dict
            if settled:
                parts += [*said, self._after()]
            else:
                parts += [*self._asked(card, feedback, said), self._buttons(card)]
        self.box.children = [_html(_style()), *parts]

    def _asked(self, card: QuizCard, feedback: Feedback | None, said: list[Any]) -> list[Any]:
        """The fields for an answer, and the feedback on the one before; a model answer stands above its key points."""
        entry = {} if card.compares else self._entered.get(card.item.id, {})
        wrong = feedback.place if isinstance(feedback, quiz_session.WrongAnswer) else None
        fields, self._read = _fields(card, self.session.lang, entry, wrong or "")
        if card.compares:
            return [*said, fields]
        told = feedback is not None and not isinstance(feedback, quiz_session.Navigation)
        return [self._written(lambda page: quiz_view.how_in_fields(page, card, said=told)), fields, *said]

    def _buttons(self, card: QuizCard) -> Any:
        """What can be done with an item that is not settled."""
        if card.compares:
            later = self._button(Message("Not now"), functools.partial(self.act, "next"))
            return ipywidgets.HBox([self._button(Message("Compare"), self.submit, primary=True), later])
        doubted = self.session.doubted is not None
        buttons = [self._button(Message("Save") if card.item.sealed else _CHECK, self.submit, primary=not doubted)]
        if doubted:
            buttons.insert(0, self._button(_YES, functools.partial(self.act, _CONFIRMED), primary=True))
        words = texts(__file__, "words.yaml", "buttons")
        actions = [each for each in _ACTIONS if each != "lang" or len(self.session.course.languages) > 1]
        buttons += [self._button(words[str(action)], functools.partial(self.act, action)) for action in actions]
        return ipywidgets.HBox(buttons)

    def _after(self) -> Any:
        """What can be done with a settled item."""
        buttons = [self._button(Message("Next"), functools.partial(self.act, "next"), primary=True)]
        if self.session.offer is not None:
            buttons.append(self._button(Message("Follow-up"), functools.partial(self.act, "follow")))
        back = texts(__file__, "words.yaml", "buttons")["back"]
        return ipywidgets.HBox([*buttons, self._button(back, functools.partial(self.act, "back"))])

    def _button(self, text: Text, do: Callable[[], None], *, primary: bool = False) -> Any:
        layout, style = ipywidgets.Layout(width="auto"), "primary" if primary else ""  # as wide as its words
        button = ipywidgets.Button(description=text.of(self.session.lang), button_style=style, layout=layout)
        button.on_click(lambda _: do())
        return button

    def _feedback(self, feedback: Feedback, answered: QuizCard) -> Any:
        shown = quiz_view.beside_answer(feedback, answered)
        return self._written(lambda page: quiz_view.feedback(page, shown, answered, buttons=True), "feedback")

    def _written(self, write: Callable[[Page], None], called: str = "") -> Any:
        """What is written to a page, with formulas and code typeset."""
        page = HtmlPage(self.session.lang)
        page.notebook = True
        write(page)
        return _html(Markup('<div class="{}">{}</div>').format(called, page.html) if called else page.html)


#: Feedback that already says everything about a settled item.
_ABOUT_SETTLED = (quiz_session.Settled, quiz_session.KeyPointsCompared)


def _html(content: Markup) -> Any:
    return ipywidgets.HTML(content)


def _style() -> Markup:
    """The style sheet of everything here."""
    return Markup("<style>{}</style>").format(Markup((_HERE / "quiz_widgets.css").read_text("utf-8")))


@functools.cache
def _macros() -> Any:
    """The macros of ``quiz_widgets.html``: ``question``, ``option`` and ``given`` return HTML."""
    loader = jinja2.FileSystemLoader(_HERE)
    options: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    environment = jinja2.Environment(loader=loader, autoescape=True, **options)
    environment.filters |= {"prose": prose, "typeset": typeset, "visible": visible}
    environment.globals |= {"Message": Message, "lines": lines}
    return environment.get_template("quiz_widgets.html").module


def _fields(card: QuizCard, lang: Lang, entry: Entry, wrong: str) -> tuple[Any, Callable[[], Entry]]:
    """Where to answer ``card``, filled with ``entry``, and a function that gives what is entered there.

    The part called ``wrong`` is marked.
    """
    asked = card.asked
    shown = [each for each in shown_choices(asked, entry, lang) if each.id != quiz_session.NONE.id or not card.compares]
    parts = [_html(_macros().option(each, asked.form, wrong, lang)) for each in shown]
    match asked.form:
        case "one" | "many":
            return _options(shown, parts, only_one=asked.form == "one")
        case "pairs":
            partners = [(bare(each.text.of(lang)), each.id) for each in asked.partners]
            menus = {
                partner_field(each.id): _menu([(_PARTNER.of(lang), ""), *partners], each.partner) for each in shown
            }
            rows = [ipywidgets.HBox(row) for row in zip(parts, menus.values(), strict=True)]
            return ipywidgets.VBox(rows), lambda: {name: (menu.value,) for name, menu in menus.items()}
        case "order":
            return _sortable({each.id: part for each, part in zip(shown, parts, strict=True)})
    text, wide = "".join(entry.get("answer", ())), ipywidgets.Layout(width="auto")
    several = asked.form == "lines" or card.item.kind == "text"
    field = ipywidgets.Textarea(text, rows=6, layout=wide) if several else ipywidgets.Text(text, layout=wide)
    return field, lambda: {"answer": (str(field.value),)}


def _menu(options: list[tuple[str, str]], value: str) -> Any:
    return ipywidgets.Dropdown(options=options, value=value, layout=ipywidgets.Layout(width="auto"))


def _options(shown: list[ShownChoice], parts: list[Any], *, only_one: bool) -> tuple[Any, Callable[[], Entry]]:
    """Cards to click. A button with the words of its option covers each card: readers of the screen hear it."""
    buttons = [ipywidgets.ToggleButton(each.chosen, description=f"{each.label} {bare(each.text)}") for each in shown]

    def changed(change: Any) -> None:
        for other in buttons if only_one and change.new else ():
            if other is not change.owner:
                other.value = False

    for button in buttons:
        button.observe(changed, "value")
    cards = [ipywidgets.Box(pair) for pair in zip(parts, buttons, strict=True)]
    for card in cards:
        card.add_class("attncheck-choice")

    def entered() -> Entry:
        return {"answer": tuple(each.id for each, button in zip(shown, buttons, strict=True) if button.value)}

    return ipywidgets.VBox(cards), entered


def _sortable(parts: dict[str, Any]) -> tuple[Any, Callable[[], Entry]]:
    """Cards that two buttons move up and down."""
    box, order = ipywidgets.VBox(), list(parts)

    def move(name: str, by: int) -> None:
        at = order.index(name)
        order.insert(max(0, at + by), order.pop(at))
        box.children = [rows[each] for each in order]

    def mover(name: str, sign: str, by: int) -> Any:
        button = ipywidgets.Button(description=sign, layout=ipywidgets.Layout(width="auto"))
        button.on_click(lambda _: move(name, by))
        return button

    rows = {name: ipywidgets.HBox([part, mover(name, "↑", -1), mover(name, "↓", 1)]) for name, part in parts.items()}
    box.children = list(rows.values())
    return box, lambda: {"answer": tuple(order)}

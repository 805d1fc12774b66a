"""Reads quiz answers and commands from a terminal, key by key: selections and edited lines. Judges nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app
from prompt_toolkit.filters import is_done
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import ConditionalContainer, HSplit, Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from grader.core.model import Lang, Text
from grader.core.tables import table
from grader.course.items import Prompt
from grader.learning import choice_widget, quiz_view
from grader.learning.choice_widget import ChoiceState
from grader.learning.drafts import SavedText
from grader.learning.quiz_session import Action, Command, QuizCard, TypedAnswer, read

_ARROWS = ("up", "down", "left", "right")
_WIDEST = 100


def _named(which: str) -> dict[str, Any]:
    found: dict[str, Any] = table(__file__, "keys.yaml")[which]
    return found


class Keyboard:
    """The front end for a terminal. ``input`` and ``output`` are for tests."""

    keys = True
    confirms = True

    def __init__(
        self, input: Input | None = None, output: Output | None = None, saved: SavedText | None = None
    ) -> None:
        self._history, self._saved = InMemoryHistory(), saved
        self._drafts: dict[str, str] = {}
        colours = ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None
        style = Style.from_dict(_named("style"))
        self._io: dict[str, Any] = {"input": input, "output": output, "style": style, "color_depth": colours}

    def ask(self, card: QuizCard, lang: Lang) -> Action:
        """An answer to ``card``, or a command."""
        if card.asked.form not in choice_widget.CHOICE_FORMS:
            return self._write(several=card.asked.form == "lines", item=card.item.id)
        selection = choice_widget.begin(card.asked, card.record.answers[-1] if card.record.answers else "")
        while True:
            action, selection = self._select(card, selection, lang)
            if action is not None:
                return action
            action = self._write(several=False, begin=":", asked=card.asked)
            if action != TypedAnswer(""):
                return action

    def pause(self, lang: Lang, follow: bool) -> Action:
        """The command for the key pressed after an item is settled. ``follow``: whether a follow-up is offered."""
        note: list[Text | None] = [None]  # why the last key did nothing
        bindings = _bindings(_named("paused"), lambda event, command: event.app.exit(result=command))

        @bindings.add(Keys.Any)
        def _(event: KeyPressEvent) -> None:
            if event.data in ("?", "？"):
                event.app.exit(result="help")
            else:
                note[0] = quiz_view.unknown_key(event.data)

        control = FormattedTextControl(
            lambda: [*_note(note[0], lang), *_keys("", lang, follow=follow)], show_cursor=False
        )
        window = Window(control, dont_extend_height=True)
        app: Application[Action] = Application(
            layout=Layout(window), key_bindings=bindings, erase_when_done=True, **self._io
        )
        return app.run()

    # ------------------------------------------------------------------------------------ choosing

    def _select(self, card: QuizCard, selection: ChoiceState, lang: Lang) -> tuple[Action | None, ChoiceState]:
        """The answer or command, and the selection; None instead of an action if a colon began a command."""
        state = [selection]
        note: list[Text | None] = [None]  # why the last key did nothing

        def pressed(key: str, shown: str = "") -> None:
            before, state[0] = state[0], choice_widget.press(state[0], key)
            note[0] = quiz_view.key_note(before, shown, card.asked) if shown and state[0] == before else None

        def end(event: KeyPressEvent, result: Action | None) -> None:
            moves_on = isinstance(result, str) and result != "key"
            event.app.erase_when_done = moves_on  # otherwise the options stay on the screen
            event.app.exit(result=result)

        bindings = _bindings(_named("anywhere"), end)

        @bindings.add("enter")
        def _(event: KeyPressEvent) -> None:
            chosen = choice_widget.answer(state[0])
            if chosen is not None:
                end(event, TypedAnswer(chosen))
            else:
                note[0] = quiz_view.key_note(state[0], "enter", card.asked)

        @bindings.add(Keys.Any)
        def _(event: KeyPressEvent) -> None:
            if event.data in ("?", "？"):
                end(event, "help")
            elif event.data in (":", "："):
                end(event, None)
            elif event.data in _named("choosing"):
                end(event, _named("choosing")[event.data])
            elif event.data == "h":
                note[0] = quiz_view.NO_HINTS
            else:
                pressed("space" if event.data in (" ", "\u3000") else event.data, event.data)

        for name in (*_ARROWS, "backspace"):
            bindings.add(name)(lambda event, name=name: pressed(name))

        control = FormattedTextControl(lambda: _fragments(state[0], card, lang), focusable=True, show_cursor=False)
        hint = Window(
            FormattedTextControl(lambda: [*_note(note[0], lang), ("", "\n"), *_keys(card.asked.form, lang)]),
            dont_extend_height=True,
        )
        layout = Layout(HSplit([Window(control, dont_extend_height=True), ConditionalContainer(hint, ~is_done)]))
        app: Application[Action | None] = Application(layout=layout, key_bindings=bindings, **self._io)
        return app.run(), state[0]

    # ------------------------------------------------------------------------------------- writing

    def _write(self, *, several: bool, begin: str = "", item: str = "", asked: Prompt | None = None) -> Action:
        """Reads one line, or ``several`` up to an empty one; with ``asked``, an answer chooses options by number.

        Command keys work unless they would edit the text. Text that a command or ^C interrupted is saved and comes back
        at the next prompt, as do several lines that were incorrect; the up arrow recalls single lines.
        """

        def keep(text: str) -> None:
            self._drafts[item] = text
            if item and self._saved is not None:
                self._saved.write(item, text)

        def end(event: KeyPressEvent, command: Command) -> None:
            keep(event.current_buffer.text)
            event.app.erase_when_done = True
            event.app.exit(result=(command,))  # a tuple, because typed text comes back as a plain string

        keys = {key: command for key, command in _named("anywhere").items() if key != "c-k"}
        bindings = _bindings(keys, end, interrupted=keep)

        @bindings.add("enter")
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            blank = not buffer.text.strip()
            whole = not isinstance(read(buffer.text), TypedAnswer) or not buffer.document.current_line.strip()
            if several and not blank and not whole:
                buffer.newline()
            elif begin or not blank:
                buffer.validate_and_handle()

        session: PromptSession[Any] = PromptSession(
            "> ", multiline=several, prompt_continuation="… ", key_bindings=bindings, history=self._history, **self._io
        )
        before = self._saved.read(item) if item and self._saved is not None else ""
        typed = session.prompt(default=begin or self._drafts.pop(item, before))
        if isinstance(typed, tuple):
            command: Command = typed[0]
            return command
        keep("")
        if several:
            self._drafts[item] = typed.rstrip()
        return TypedAnswer("") if typed.strip() == begin else read(typed.rstrip(), asked)


def _bindings(
    commands: dict[str, Command],
    end: Callable[[KeyPressEvent, Command], None],
    interrupted: Callable[[str], None] = lambda text: None,
) -> KeyBindings:
    """Key bindings for ``commands``, and for ^C, which raises KeyboardInterrupt after ``interrupted`` got the text."""
    bindings = KeyBindings()
    for key, command in commands.items():
        bindings.add(key)(lambda event, command=command: end(event, command))

    @bindings.add("c-c")
    def _(event: KeyPressEvent) -> None:
        interrupted(event.app.current_buffer.text)
        event.app.exit(exception=KeyboardInterrupt())

    return bindings


def _fragments(selection: ChoiceState, card: QuizCard, lang: Lang) -> StyleAndTextTuples:
    """The options as styled text, with the cursor position marked so that the terminal scrolls to it."""
    fragments: StyleAndTextTuples = []
    for index, (style, line) in enumerate(quiz_view.selection_lines(selection, card, lang, _width())):
        fragments.append(("", "\n" if index else ""))
        if line.startswith(("›", "↕")):
            fragments.append(("[SetCursorPosition]", ""))
        fragments.append((f"class:{style}" if style else "", line))
    return fragments


def _note(note: Text | None, lang: Lang) -> StyleAndTextTuples:
    return [] if note is None else [("", "\n"), ("class:note", note.of(lang)), ("", "\n")]


def _keys(form: str, lang: Lang, *, follow: bool = False) -> StyleAndTextTuples:
    """The line of key help."""
    return [("class:hint", "\n".join(quiz_view.key_help(form, lang, _width(), follow=follow)))]


def _width() -> int:
    return min(get_app().output.get_size().columns, _WIDEST)

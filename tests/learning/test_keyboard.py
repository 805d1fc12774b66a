"""The quiz at a terminal: keys in, actions out. Typed into a pipe, shown to nobody."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from grader.core.model import Item, Lang
from grader.course import items
from grader.course.items import Choice, Form, Prompt
from grader.learning import choice_widget, quiz_view
from grader.learning.drafts import Drafts, SavedText
from grader.learning.keyboard import Keyboard
from grader.learning.quiz_session import ItemRecord, QuizCard, TypedAnswer, UnknownCommand
from tests.helpers import WORDS, question

UP, DOWN, LEFT, RIGHT = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
ENTER, BACKSPACE = "\r", "\x7f"
SKIP, BACK, LANG, QUIT, END, KEY, BREAK = "\x13", "\x10", "\x0c", "\x11", "\x04", "\x0b", "\x03"


def card(form: Form, *answers: str) -> QuizCard:
    """A card of this form, perhaps with answers that were wrong."""
    choices = tuple(Choice(name, WORDS) for name in "bca") if form not in ("line", "lines") else ()
    partners = tuple(Choice(name, WORDS) for name in "12") if form == "pairs" else ()
    item = Item("Q1.a", "choice", WORDS, 1, "graded", None)
    context = items.Context("test", "ada", item.id)
    asked = Prompt(form, WORDS, choices, partners)
    record = ItemRecord(tries=len(answers), answers=answers)
    return QuizCard(1, 1, question("Q1"), item, context, WORDS, asked, record, 3, 1.0, None)


@pytest.fixture
def typing() -> Iterator[Callable[[str], Keyboard]]:
    """A keyboard on which a text has been typed."""
    with create_pipe_input() as pipe:

        def typed(text: str) -> Keyboard:
            assert isinstance(pipe, PipeInput)
            pipe.send_text(text)
            return Keyboard(pipe, DummyOutput())

        yield typed


@pytest.mark.parametrize(
    ("form", "typed", "expected"),
    [
        ("one", DOWN + DOWN + ENTER, TypedAnswer("c")),
        ("one", "3" + ENTER, TypedAnswer("a")),
        ("one", ENTER + "a" + "3" + ENTER, TypedAnswer("a")),
        ("one", SKIP, "skip"),
        ("one", BACK, "back"),
        ("one", LANG, "lang"),
        ("one", QUIT, "quit"),
        ("one", END, "quit"),
        ("one", "q", "quit"),
        ("pairs", "1q", "quit"),
        ("line", "q" + ENTER, TypedAnswer("q")),
        ("one", KEY, "key"),
        ("one", "?", "help"),
        ("one", "：？" + ENTER, "help"),
        ("one", ":skip" + ENTER, "skip"),
        ("one", ":" + BACKSPACE + ENTER + "1" + ENTER, TypedAnswer("b")),
        ("one", ":" + ENTER + "1" + ENTER, TypedAnswer("b")),
        ("one", ":" + BACKSPACE + "3" + ENTER, TypedAnswer("a")),
        ("one", ":what" + ENTER, UnknownCommand("what")),
        ("many", " " + DOWN + " " + ENTER, TypedAnswer("b, c")),
        ("many", ENTER + "32" + ENTER, TypedAnswer("a, c")),
        ("order", "312" + ENTER, TypedAnswer("a b c")),
        ("order", " " + DOWN + ENTER, TypedAnswer("c b a")),
        ("pairs", "121" + ENTER, TypedAnswer("a-1, b-1, c-2")),
        ("pairs", RIGHT + DOWN + LEFT + DOWN + LEFT + BACKSPACE + ENTER + "2" + ENTER, TypedAnswer("a-2, b-1, c-2")),
        ("line", "1536" + ENTER, TypedAnswer("1536")),
        ("line", ENTER + "12" + BACKSPACE + ENTER, TypedAnswer("1")),
        ("line", ":跳过" + ENTER, "skip"),
        ("line", "12" + END, "quit"),
        ("line", "12" + QUIT, "quit"),
        ("one", "n", "skip"),
        ("line", END, "quit"),
        ("line", "12" + SKIP, "skip"),
        ("line", "skip" + ENTER, TypedAnswer("skip")),
        ("line", "?" + ENTER, "help"),
        ("lines", "a = b" + ENTER + "= c" + ENTER + ENTER, TypedAnswer("a = b\n= c")),
        ("lines", ENTER + ":key" + ENTER, "key"),
    ],
)
def test_ask(typing: Callable[[str], Keyboard], form: Form, typed: str, expected: object) -> None:
    """Arrows, digits, commands and lines."""
    assert typing(typed).ask(card(form), "en") == expected


@pytest.mark.parametrize("form", ["one", "many", "line", "lines"])
def test_interrupting(typing: Callable[[str], Keyboard], form: Form) -> None:
    """^C ends everything."""
    with pytest.raises(KeyboardInterrupt):
        typing(BREAK).ask(card(form), "en")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (ENTER, "next"),
        (" ", "next"),
        ("b", "back"),
        (BACK, "back"),
        ("f", "follow"),
        ("l", "lang"),
        ("xq", "quit"),
        ("x?", "help"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pause(typing: Callable[[str], Keyboard], typed: str, expected: str, lang: Lang) -> None:
    """One key goes on; ? shows the list; others change nothing."""
    assert typing(typed).pause(lang, True) == expected


def test_another_try_begins_with_the_last_choice(typing: Callable[[str], Keyboard]) -> None:
    """What was marked is still marked."""
    assert typing("1" + ENTER).ask(card("many", "a, b"), "zh") == TypedAnswer("a")


@pytest.mark.parametrize(
    ("form", "first", "then", "expected"),
    [
        ("lines", "a" + ENTER + "b" + ENTER + ENTER, ENTER + "c" + ENTER + ENTER, TypedAnswer("a\nb\nc")),
        ("lines", "a" + LANG, ENTER + ENTER, TypedAnswer("a")),
        ("line", "12" + QUIT, "3" + ENTER, TypedAnswer("123")),
        ("line", "12" + ENTER, "3" + ENTER, TypedAnswer("3")),
        ("line", "12" + ENTER, UP + ENTER, TypedAnswer("12")),
    ],
)
def test_drafts(typing: Callable[[str], Keyboard], form: Form, first: str, then: str, expected: object) -> None:
    """Nothing has to be typed twice: interrupted text and several lines stay, single lines come back with an arrow."""
    front = typing(first)
    front.ask(card(form), "en")
    typing(then)
    assert front.ask(card(form), "en") == expected


@pytest.mark.parametrize("end", [QUIT, BREAK])
def test_what_was_typed_outlives_the_program(end: str, tmp_path: Path) -> None:
    """Whoever quits finds it at the next prompt of the item; once it is submitted, it is gone."""
    saved = SavedText(Drafts(tmp_path, "ada"))
    with create_pipe_input() as pipe:
        for typed, expected in (("12" + end, "quit"), ("3" + ENTER, TypedAnswer("123"))):
            assert isinstance(pipe, PipeInput)
            pipe.send_text(typed)
            with contextlib.suppress(KeyboardInterrupt):
                assert Keyboard(pipe, DummyOutput(), saved).ask(card("line"), "en") == expected
    assert saved.read(card("line").item.id) == ""


@pytest.mark.parametrize(
    ("form", "keys", "en"),
    [
        ("one", ("enter",), "Choose something first"),
        ("many", ("enter",), "Choose something first"),
        ("one", ("a",), "Choose by number: 1, 2, 3."),
        ("pairs", ("a",), "Choose by number: 1, 2."),
        ("one", ("%",), "“%” does nothing here"),
        ("pairs", ("1", "enter"), "(2 left)"),
        ("order", ("9",), "“9” does nothing here"),
    ],
)
def test_a_key_that_does_nothing_says_so(form: Form, keys: tuple[str, ...], en: str) -> None:
    """Also Enter while there is no complete answer."""
    asked = card(form)
    selection = choice_widget.begin(asked.asked)
    for key in keys[:-1]:
        selection = choice_widget.press(selection, key)
    note = quiz_view.key_note(selection, keys[-1], asked.asked)
    assert note is not None and en in note.en and note.zh

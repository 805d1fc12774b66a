"""What learners type: keys, choices, lines and quiz commands."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from grader.core.model import Course, Question, Status
from grader.course.items import Form
from grader.learning import choice_widget, quiz_session
from grader.learning.keyboard import Keyboard
from grader.learning.quiz_session import TypedAnswer, UnknownCommand, UnreadableAnswer
from tests.fuzz import bending
from tests.fuzz.reading import Reader, fuzzing
from tests.fuzz.test_questions import _TYPED, guide
from tests.helpers import WORDS
from tests.learning.test_keyboard import card

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FORMS: tuple[Form, ...] = ("one", "many", "order", "pairs", "line", "lines")
COMMANDS = ("skip", "back", "key", "lang", "quit", "help", "next", "follow")

# ----------------------------------------------------------------------------------------------- keys

_KEYS = (
    "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\r", "\n", " ", "\x7f", "\t", "\x1b", "\x1b[3~",
    "\x1b[200~paste\n\x1b[201~", "\x00", "\x01", "\x02", "\x05", "\x06", "\x08", "\x0b", "\x0c", "\x0e", "\x0f",
    "\x10", "\x12", "\x13", "\x15", "\x16", "\x17", "\x19", "\x1b[1;5C", "\x1b\x7f", "\x1bOP", "\x1b[99~",
    "\x1b[<0;1;1M", "\x1b[M !!", ":", "：", "?", "？", "a", "b", "c", "1", "2", "A", "ａ", "中", "🙂", "e\u0301",
    "\u200b", "\u202e", "\ufeff", "\x9b", "skip", ":skip\r", ":quit\r", "x", "=", "\u3000", "\x1b[I", "\x1b]0;t\x07",
)  # fmt: skip
TYPED = st.tuples(st.sampled_from(FORMS), st.lists(st.sampled_from(_KEYS), max_size=30).map("".join))


def typed(example: tuple[Form, str], scratch: Path) -> None:
    """Whatever is typed before the end of input gives an action, an answer that can be typed again, or the end."""
    form, text = example
    with create_pipe_input() as pipe:
        pipe.send_bytes(text.encode("utf-8", "surrogatepass") + b"\x15\x15\r\x04\x03\x03")
        keyboard = Keyboard(pipe, DummyOutput())
        with contextlib.suppress(KeyboardInterrupt, EOFError):
            action = keyboard.ask(card(form), "en")
            assert isinstance(action, TypedAnswer | UnknownCommand | UnreadableAnswer) or action in COMMANDS
            if isinstance(action, TypedAnswer):
                assert quiz_session.read(action.text) == action or form == "lines"


PRESSED = st.tuples(st.sampled_from(FORMS[:4]), st.lists(st.sampled_from(
    ("up", "down", "left", "right", "space", "backspace", "a", "b", "c", "1", "2", "A", "ａ", "", "İ", "x", "ß")
), max_size=40), bending.texts(["b, c", "c a b", "b-1, c-2, a-1"], ("a", "1", "-")))  # fmt: skip


def pressed(example: tuple[Form, list[str], str], scratch: Path) -> None:
    """A picker keeps its entries, and its answer restores its state."""
    form, keys, last = example
    asked = card(form).asked
    selection = choice_widget.begin(asked, last)
    for key in keys:
        selection = choice_widget.press(selection, key)
        assert sorted(selection.order) == sorted(selection.ids) and -1 <= selection.cursor < len(selection.ids)
        assert selection.marked <= set(selection.ids) and 0 <= selection.placed <= len(selection.ids)
        assert len(selection.pairs) == len(selection.ids) and set(selection.pairs) <= {None, *selection.partners}
    said = choice_widget.answer(selection)
    if said is not None and form != "one":
        again = choice_widget.begin(asked, said)
        assert choice_widget.answer(again) == said


# ---------------------------------------------------------------------------------------------- the quiz


def session(lines: list[str], scratch: Path) -> None:
    """A session continues whatever is typed, its stored events are valid, and it can be resumed."""
    asked = Question("Q1", WORDS, "group", WORDS, "q01.yaml", items=guide())
    small = Course(WORDS, "test", (), (asked,), (), (), "digest", "")
    chosen = quiz_session.choose(small, None)
    at = quiz_session.begin(small, "ada", "en", chosen)
    for line in lines:
        turn = quiz_session.step(at, quiz_session.read(line), NOW)
        assert at.log == turn.session.log[: len(at.log)]
        assert turn.session.log[len(at.log) :] == turn.events
        at = turn.session
        quiz_session.summary(at)
        for record in at.records.values():
            assert 0 <= record.earned <= 1 and type(record.status) is Status
        if at.over:
            break
    again = quiz_session.begin(small, "ada", "en", chosen, at.log)
    assert {name: record.settled for name, record in again.records.items()} == {
        name: record.settled for name, record in at.records.items()
    }


_SAID = (*COMMANDS, "?", "？", "", " ", "：跳过", ":what", "a", "b", "a, b", "1", "a-1 b-2", "16", "(2, 3)")
LINES = st.lists(
    st.sampled_from(_SAID).map(lambda word: f":{word}" if word in COMMANDS else word)
    | bending.texts(["a b c", "d_k = 64", "(batch, n, d)", "因为"], (*_TYPED, "x" * 30_000)),
    max_size=15,
)

test_sample, test_long = fuzzing(
    Reader("keys", TYPED, typed, sample=6),
    Reader("choices", PRESSED, pressed),
    Reader("quiz", LINES, session, sample=8),
)

"""Choosing with keys."""

from __future__ import annotations

import pytest

from grader.course.items import Choice, Form, Prompt
from grader.learning import choice_widget
from tests.helpers import WORDS


def asked(form: Form) -> Prompt:
    """Three options, and two partners."""
    choices, partners = (tuple(Choice(name, WORDS) for name in names) for names in ("bca", "21"))
    return Prompt(form, WORDS, choices, partners if form == "pairs" else ())


@pytest.mark.parametrize(
    ("form", "keys", "expected"),
    [
        ("one", "", None),
        ("one", "down", "b"),
        ("one", "up", "a"),
        ("one", "down down", "c"),
        ("one", "down down down down", "b"),
        ("one", "2", "c"),
        ("one", "２", "c"),
        ("one", "2 a 4 space", "c"),
        ("many", "", None),
        ("many", "space", "b"),
        ("many", "down space 3", "a, c"),
        ("many", "3 1 3", "b"),
        ("many", "a backspace left", None),
        ("order", "", "b c a"),
        ("order", "3 2", "a c b"),
        ("order", "3 2 2 a", "a c b"),
        ("order", "3 2 backspace 1", "a b c"),
        ("order", "space down", "c b a"),
        ("order", "space down down down", "c a b"),
        ("order", "space up", "b c a"),
        ("order", "space down space down", "c b a"),
        ("order", "down", "b c a"),
        ("pairs", "", None),
        ("pairs", "2 1 1", "a-2, b-1, c-2"),
        ("pairs", "space down right right down left", "a-1, b-2, c-1"),
        ("pairs", "up 1 2 2", "a-2, b-1, c-1"),
        ("pairs", "1 1 1 backspace", None),
        ("pairs", "x", None),
    ],
)
def test_press(form: Form, keys: str, expected: str | None) -> None:
    """What keys lead to, as an answer in ids; digits count in the order shown."""
    selection = choice_widget.begin(asked(form))
    for key in keys.split():
        selection = choice_widget.press(selection, key)
    assert choice_widget.answer(selection) == expected


@pytest.mark.parametrize(
    ("form", "last", "expected"),
    [
        ("one", "c", None),
        ("many", "a, b", "a, b"),
        ("many", "ab", None),
        ("order", "c a b", "c a b"),
        ("order", "c a", "b c a"),
        ("pairs", "b-1, c-2, a-2", "a-2, b-1, c-2"),
        ("pairs", "b-1, c-9", None),
    ],
)
def test_begin_where_the_last_answer_ended(form: Form, last: str, expected: str | None) -> None:
    """Another try starts from what was chosen before, where that can be read back."""
    assert choice_widget.answer(choice_widget.begin(asked(form), last)) == expected

"""Choosing with keys."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from grader.course.items import Choice, Form, Prompt
from grader.learning import choice_widget
from tests.helpers import WORDS

PRESSES = yaml.safe_load(Path(__file__).with_name("presses.yaml").read_text("utf-8"))


def asked(form: Form) -> Prompt:
    """Three options, and two partners."""
    choices, partners = (tuple(Choice(name, WORDS) for name in names) for names in ("bca", "21"))
    return Prompt(form, WORDS, choices, partners if form == "pairs" else ())


@pytest.mark.parametrize(("form", "keys", "expected"), PRESSES)
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

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from grader.core.model import Text
from grader.course.items import Context, draw, draw_choices, fill
from grader.course.items.choice import Spec as Choice
from grader.course.items.number import Spec

SPEC = Spec("d", {"d": (16, 64, 256), "h": (2, 4)})
ADA = Context("spring", "ada", "Q3.size")


def test_a_learner_keeps_the_same_numbers() -> None:
    """They depend on course, learner and item alone, on every machine; these would change silently otherwise."""
    assert draw(SPEC, ADA) == draw(SPEC, ADA) == {"d": 64, "h": 4}


@pytest.mark.parametrize("name", ["Ada", " ada ", "ａｄａ", "ADA"])
def test_the_same_name_written_otherwise_has_the_same_numbers(name: str) -> None:
    """Nobody loses points to a capital letter."""
    assert draw(SPEC, replace(ADA, learner=name)) == draw(SPEC, ADA)


@pytest.mark.parametrize("key", ["course_id", "learner", "item"])
def test_every_part_of_the_context_counts(key: str) -> None:
    """Over many learners, items and courses every number comes up, about as often as the others."""
    found = Counter(draw(SPEC, replace(ADA, **{key: f"x{n}"}))["d"] for n in range(300))
    assert set(found) == {16, 64, 256}
    assert min(found.values()) > 60


def test_numbers_of_one_item_are_independent() -> None:
    """All combinations come up."""
    assert len({tuple(draw(SPEC, replace(ADA, learner=str(n))).values()) for n in range(100)}) == 6


def test_kinds_without_draws_have_none() -> None:
    """Nothing has to be said by a kind that draws nothing."""
    assert draw_choices(Choice(())) == {}
    assert draw(Choice(()), ADA) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d is {d}, h is {h}", "d is 64, h is 2"),
        ("{d}{d}", "6464"),
        ("{n}, {}, {0}, {d!r}, {{", "{n}, {}, {0}, {d!r}, {{"),
        ("{h_2}", "{h_2}"),
    ],
)
def test_fill(text: str, expected: str) -> None:
    """Only the names that are drawn are filled in; all other braces mean themselves."""
    assert fill(Text(text, f"中{text}"), {"d": 64, "h": 2}) == Text(expected, f"中{expected}")

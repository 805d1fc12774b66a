"""Voice 4: the condition under which code is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.model import Status, Text
from grader.grading.checks.repeatable import DIFFERENT, LATER, STALE, STATE
from grader.grading.explaining.case_tags import TAGS
from grader.grading.explaining.condition import condition
from tests.explaining import BITS, ROWS, failure, tried

RIGHT, WRONG = Status.PASSED, Status.FAILED


def said(*cases: tuple[str, Status, dict[str, Any]]) -> list[str]:
    """What is said of the ``values`` of these cases."""
    evidence = [tried(name, status, **args) for name, status, args in cases]
    return [each.text.en for each in condition(failure(*evidence))]


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        (
            {"q": ROWS},
            {"q": ROWS, "mask": BITS},
            "where `mask` is not given; wrong in every case where `mask` is given",
        ),
        (
            {"q": ROWS, "mask": BITS},
            {"q": ROWS},
            "where `mask` is given; wrong in every case where `mask` is not given",
        ),
        ({"q": ROWS, "k": ROWS}, {"q": ROWS, "k": ROWS[:2]}, "wrong in every case where `q, k` have different lengths"),
        ({"mask": BITS}, {"mask": BITS & BITS[:1] & False}, "some query may attend to no key"),
        ({"n": 2}, {"n": 3}, "wrong in every case where `n` is odd"),
        ({"n": 2}, {"n": 0}, "wrong in every case where `n` is 0"),
        ({"ids": np.array([1, 2])}, {"ids": np.array([0, 1])}, "`ids` contains 0"),
        ({"x": ROWS}, {"x": ROWS * 1000}, "`x` has very large numbers"),
    ],
)
def test_a_tag_that_decides(right: dict[str, Any], wrong: dict[str, Any], expected: str) -> None:
    """It is said if all wrong cases have it and no right one, or the other way round."""
    (text,) = said(("a", RIGHT, right), ("b", RIGHT, right), ("c", WRONG, wrong), ("d", WRONG, wrong))
    assert expected in text


def test_each_side_of_a_tag_stands_alone() -> None:
    """Either may come first in the sentence, so each names what it is about."""
    for tag in TAGS.values():
        for one, other in ((tag.having, tag.lacking), (tag.lacking, tag.having)):
            assert ("{name}" in one.en) == ("{name}" in one.zh) == ("{name}" in other.en)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "expected"),
    [
        ("mask", np.ones((3, 3), bool), np.tri(3, dtype=bool), "`mask` is square, but not symmetric"),
        ("mask", np.ones((2, 1, 3), bool), np.tri(2, 3, dtype=bool)[:, None], "`mask` differs from sample to sample"),
        ("key_padding", np.ones((2, 3), bool), np.tri(2, 3, dtype=bool), "`key_padding` differs from sample to sample"),
    ],
)
def test_the_first_axis_of_a_mask(name: str, right: object, wrong: object, expected: str) -> None:
    """Of two axes it is that of the queries; of more, and in padding, that of the samples."""
    cases = [(str(number), RIGHT, {name: right}) for number in range(2)]
    cases += [(str(number), WRONG, {name: wrong}) for number in range(2, 4)]
    (text,) = said(*cases)
    assert expected in text


def test_no_tag_decides() -> None:
    """Then few cases are named: the wrong ones, or the right ones."""
    args = {"x": ROWS}
    right = [(f"right {number}", RIGHT, args) for number in range(5)]
    assert said(*right, ("odd", WRONG, args)) == ["Correct in 5 of 6 cases; wrong only in “odd”."]
    wrong = [(f"wrong {number}", WRONG, args) for number in range(5)]
    assert said(*wrong, ("odd", RIGHT, args)) == ["Wrong in most of the 6 cases; correct only in “odd”."]
    assert said(*wrong, *right) == []


def test_one_case_has_many_properties() -> None:
    """So a weak one is not said of a single case: that it has one row, say."""
    wide, narrow = {"x": ROWS}, {"x": ROWS[:1]}
    text = said(("a", RIGHT, wide), ("b", RIGHT, wide), ("c", WRONG, narrow))
    assert text == ["Correct in 2 of 3 cases; wrong only in “c”."]


def test_all_or_two_cases() -> None:
    """Nothing is said if every case is wrong, or there are too few."""
    args = {"x": ROWS}
    assert said(*[(str(number), WRONG, args) for number in range(4)]) == []
    assert said(("a", RIGHT, args), ("b", WRONG, {"x": ROWS, "mask": BITS})) == []


def test_a_check_that_alone_fails() -> None:
    """If every result is right, the check that fails says under which condition it is not."""
    evidence = [tried("a", RIGHT, x=ROWS), tried("a", WRONG, check="gradients", x=ROWS)]
    assert [each.text.en for each in condition(failure(*evidence))] == [
        "Every result is correct; only the gradients are wrong or missing."
    ]


def test_results_that_differ_from_call_to_call() -> None:
    """Are the first thing to know."""
    again = tried("a", WRONG, check="repeatable", x=ROWS)
    for message, said in ((DIFFERENT, True), (STATE, True), (STALE, False), (LATER, False), (None, False)):
        told = replace(again, verdict=replace(again.verdict, message=message))
        found = [each.text.en for each in condition(failure(tried("a", WRONG, x=ROWS), told))]
        assert any(text.startswith("The same call does not always give the same result") for text in found) is said


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (DIFFERENT, "repeating the same call"),
        (STATE, "after other calls"),
        (STALE, "a call with other numbers"),
        (LATER, "with other arguments"),
    ],
)
def test_only_what_the_calls_showed_is_said(message: Text, said: str) -> None:
    """A later call with other arguments that is wrong is no repeated call, and need not keep anything."""
    again = tried("a", WRONG, check="repeatable", x=ROWS)
    told = replace(again, verdict=replace(again.verdict, message=message))
    (found,) = condition(failure(tried("a", RIGHT, x=ROWS), told))
    assert said in found.text.en and found.text.zh


def test_more_calls_that_raise() -> None:
    """Nothing differs from an earlier result: there is none."""
    again = tried("a", Status.RAISED, check="repeatable", x=ROWS)
    (found,) = condition(failure(tried("a", RIGHT, x=ROWS), again))
    assert "an exception is raised" in found.text.en


def test_every_tag_has_two_sides_in_both_languages() -> None:
    """What is said of cases with it differs from what is said of those without."""
    for name, tag in TAGS.items():
        sentences = [tag.having.en, tag.lacking.en, tag.having.zh, tag.lacking.zh]
        assert all(sentences) and len(set(sentences)) == 4, name

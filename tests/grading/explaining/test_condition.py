"""Voice 4: the condition under which code is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.marks import plain
from grader.core.model import Status, Text
from grader.grading.checks.repeatable import DIFFERENT, LATER, STALE, STATE
from grader.grading.explaining.case_tags import phrases, tags
from grader.grading.explaining.condition import condition, unsteady
from grader.grading.inputs import Drawn
from tests.explaining import BITS, EXERCISE, ROWS, failure, tried

RIGHT, WRONG = Status.PASSED, Status.FAILED
#: Two samples with the same mask, and with masks of their own.
UNLIKE = np.tri(2, 3, dtype=bool)
ALIKE = UNLIKE[[1, 1]]


def said(
    *cases: tuple[str, Status, dict[str, Any]], right: Callable[[dict[str, Any]], bool | None] = lambda args: None
) -> list[str]:
    """What is said of the ``values`` of these cases, by code that is ``right`` for some arguments."""
    evidence = [tried(name, status, **args) for name, status, args in cases]
    return [plain(each.text.en) for each in condition(failure(*evidence, rerun=lambda drawn: right(dict(drawn.args))))]


def decides(right: dict[str, Any], wrong: dict[str, Any], is_right: Callable[[dict[str, Any]], bool | None]) -> str:
    """What is said of code that is wrong in two cases and right in two others."""
    cases = [("a", RIGHT, right), ("b", RIGHT, right), ("c", WRONG, wrong), ("d", WRONG, wrong)]
    (text,) = said(*cases, right=is_right)
    return text


def tells(name: str, tag: str) -> Callable[[dict[str, Any]], bool]:
    """Code that is right if the arguments lack a tag."""
    return lambda args: (tag, name) not in set(tags(Drawn(tuple(args.items()), (), ())))


@pytest.mark.parametrize(
    ("name", "tag", "right", "wrong", "expected"),
    [
        ("mask", "given", {"q": ROWS}, {"q": ROWS, "mask": BITS}, "wrong in every case where `mask` is given"),
        ("q, k", "unequal-lengths", {"q": ROWS, "k": ROWS}, {"q": ROWS[:2], "k": ROWS}, "have different lengths"),
        ("mask", "empty-rows", {"mask": BITS}, {"mask": BITS & BITS[:1] & False}, "some query may attend to no key"),
        ("mask", "asymmetric", {"mask": ALIKE[:, :2]}, {"mask": UNLIKE[:, :2]}, "is square, but not symmetric"),
        ("mask", "different-per-sample", {"mask": ALIKE[:, None]}, {"mask": UNLIKE[:, None]}, "from sample to sample"),
        ("key_padding", "different-per-sample", {"key_padding": ALIKE}, {"key_padding": UNLIKE}, "sample to sample"),
        ("n", "odd", {"n": 2}, {"n": 3}, "wrong in every case where `n` is odd"),
        ("n", "zero", {"n": 2}, {"n": 0}, "wrong in every case where `n` is 0"),
        ("ids", "holds-zero", {"ids": np.array([1, 2])}, {"ids": np.array([0, 1])}, "`ids` contains 0"),
        ("ids", "repeated", {"ids": np.array([2, 1])}, {"ids": np.array([2, 2])}, "`ids` contains the same entry"),
        ("x", "large", {"x": ROWS}, {"x": ROWS * 1000}, "`x` has very large numbers"),
        ("x", "holds-negative", {"x": abs(ROWS)}, {"x": ROWS}, "`x` has negative entries"),
        ("x", "offset", {"x": ROWS}, {"x": ROWS + 300}, "the mean of `x` is far from 0"),
        ("x", "odd-width", {"x": ROWS}, {"x": ROWS[:, :3]}, "`x` has an odd width"),
        ("x", "one-row", {"x": ROWS}, {"x": ROWS[:1]}, "`x` has only one row"),
        ("ids", "one-axis", {"ids": np.arange(6).reshape(2, 3)}, {"ids": np.arange(3)}, "`ids` has only one axis"),
        ("x", "three-axes", {"x": ROWS[None, None]}, {"x": ROWS[None]}, "`x` has three axes"),
        ("x", "many-axes", {"x": ROWS[None]}, {"x": ROWS[None, None]}, "`x` has four or more axes"),
    ],
)
def test_a_tag_that_decides(name: str, tag: str, right: dict[str, Any], wrong: dict[str, Any], expected: str) -> None:
    """It is said if all wrong cases have it and no right one, and the code is right as soon as it is taken away."""
    assert expected in decides(right, wrong, tells(name, tag))


def test_a_tag_that_decides_nothing() -> None:
    """Code that stays wrong without it, or right with it, is wrong for another reason. So may be what nobody tried."""
    accidents: list[Callable[[dict[str, Any]], bool | None]] = [lambda _: False, lambda _: True, lambda _: None]
    for right in accidents:
        assert decides({"grad": abs(ROWS)}, {"grad": ROWS}, right).startswith("Correct in 2 of 4 cases; wrong only in")


def test_a_negative_axis() -> None:
    """Is tried as the same axis, counted from the other end."""
    cube, seen = ROWS.reshape(3, 2, 2), set()

    def right(args: dict[str, Any]) -> bool:
        seen.add(args["axis"])
        return args["axis"] % 3 == 2

    assert "`axis`" not in decides({"x": cube, "axis": 2}, {"x": cube, "axis": -2}, right)
    assert seen == {-1, 1}


def test_names_of_a_helper() -> None:
    """Are not said: the learner has never seen them."""
    cases = [tried("a", RIGHT, x=ROWS), tried("b", RIGHT, x=ROWS), tried("c", WRONG, x=ROWS, passes=True)]
    whole = failure(*cases, rerun=lambda drawn: "passes" not in dict(drawn.args))
    for through, expected in (("taught", False), (None, True)):
        (found,) = condition(replace(whole, exercise=replace(EXERCISE, through=through)))
        assert ("`passes`" in plain(found.text.en)) is expected


def test_no_tag_decides() -> None:
    """Then few cases are named: the wrong ones, or the right ones; nothing if all are wrong, or only two."""
    args = {"x": ROWS}
    assert said(*[(str(number), WRONG, args) for number in range(4)]) == []
    assert said(("a", RIGHT, args), ("b", WRONG, {"x": ROWS, "mask": BITS})) == []
    right = [(f"right {number}", RIGHT, args) for number in range(5)]
    assert said(*right, ("odd", WRONG, args)) == ["Correct in 5 of 6 cases; wrong only in “odd”."]
    wrong = [(f"wrong {number}", WRONG, args) for number in range(5)]
    assert said(*wrong, ("odd", RIGHT, args)) == ["Wrong in 5 of 6 cases; correct only in “odd”."]
    assert said(*wrong, *right) == []
    odd = [tried("odd", RIGHT, x=ROWS), tried("odd", WRONG, check="gradients", x=ROWS)]
    assert not list(condition(failure(*odd, *(tried(*case[:2], x=ROWS) for case in wrong)))), "it is not correct"


def test_results_that_differ_from_call_to_call() -> None:
    """Are the first thing to know."""
    again = tried("a", WRONG, check="repeatable", x=ROWS)
    for message, said in ((DIFFERENT, True), (STATE, True), (STALE, False), (LATER, False), (None, False)):
        told = replace(again, verdict=replace(again.verdict, message=message))
        found = [plain(each.text.en) for each in unsteady(failure(tried("a", WRONG, x=ROWS), told))]
        assert any(text.startswith("The same call does not always give the same result") for text in found) is said


@pytest.mark.parametrize("alone", [True, False, None])
def test_cases_that_are_wrong_only_after_others(alone: bool | None) -> None:
    """Each is run alone; what cannot be told is not said."""
    asked: list[int] = []

    def rerun(given: Sequence[object]) -> list[bool | None]:
        asked.append(len(given))
        return [True if len(asked) == 1 else alone]

    whole = failure(*(tried(name, WRONG, x=ROWS) for name in "ab"))
    found = [plain(each.text.en) for each in unsteady(replace(whole, rerun=rerun))]
    assert any("is correct if it runs alone" in text for text in found) is (alone is True) and asked == [1, 1]


@pytest.mark.parametrize(
    ("check", "status", "message", "said"),
    [
        ("gradients", WRONG, None, "Every result is correct; only the gradients are wrong or missing."),
        ("repeatable", WRONG, DIFFERENT, "repeating the same call"),
        ("repeatable", WRONG, STATE, "after other calls"),
        ("repeatable", WRONG, STALE, "a call with other numbers"),
        ("repeatable", WRONG, LATER, "with other arguments"),
        ("repeatable", Status.RAISED, None, "an exception is raised"),  # there is no earlier result to differ from
    ],
)
def test_a_check_that_alone_fails(check: str, status: Status, message: Text | None, said: str) -> None:
    """It says under which condition, and no more than the calls showed: a later one need not repeat the first."""
    failed = tried("a", status, check=check, x=ROWS)
    told = replace(failed, verdict=replace(failed.verdict, message=message))
    (found,) = condition(failure(tried("a", RIGHT, x=ROWS), told))
    assert said in plain(found.text.en) and plain(found.text.zh)


def test_every_tag_has_two_sides_in_both_languages() -> None:
    """What is said of cases with it differs from what is said of those without. Each names what it is about."""
    for name, tag in phrases().items():
        sentences = [tag.having.en, tag.lacking.en, tag.having.zh, tag.lacking.zh]
        assert all(sentences) and len(set(sentences)) == 4, name
        assert len({"{name}" in sentence for sentence in sentences}) == 1, name

"""Which hint comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import Misconception, Outcome, Status, Text, Verdict
from grader.learning.hints import about, order
from tests.helpers import case, exercise, question
from tests.learning.test_watching import result

HINTS = tuple(
    Text(text, text)
    for text in (
        "Which axes of the keys must change places?",
        "Where do masked keys get minus infinity?",
        "Divide the scores before the softmax.",
        "softmax(masked scores of keys and axes / sqrt)",
    )
)
EXERCISE = exercise("attend(q)", case("seen"), hints=HINTS)
QUESTION = question(
    "Q5", EXERCISE, misconceptions=(Misconception("no-scaling", Text("Scores are divided by √d.", "除以 √d。")),)
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", (1, 2, 3, 4)),
        ("keys", (1, 2, 3, 4)),
        ("a wrong masked row", (2, 1, 3, 4)),
        ("the axis or the axes", (1, 2, 3, 4)),
        ("divide", (3, 1, 2, 4)),
        ("sqrt", (1, 2, 3, 4)),
    ],
)
def test_the_hint_that_fits_comes_first(words: str, expected: tuple[int, ...]) -> None:
    """Then the others as they were; the last one, nearly the line of code, always stays last; none is lost."""
    assert order(EXERCISE, words) == expected


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_hints_keep_their_order(count: int) -> None:
    """There is nothing to choose from."""
    assert order(replace(EXERCISE, hints=HINTS[:count]), "softmax keys axes") == tuple(range(1, count + 1))


def test_a_failure_is_its_misconception_and_its_first_check() -> None:
    """A misconception that the question does not know, or none, adds nothing."""
    lost = Outcome("fully_masked_rows", "by hand", "public", Verdict(Status.FAILED), 0, 1)
    failed = replace(result("attend", Status.FAILED), outcomes=(lost,))
    assert about(QUESTION, None) == about(QUESTION, "unknown") == ""
    assert order(EXERCISE, about(QUESTION, None, failed))[0] == 2
    assert order(EXERCISE, about(QUESTION, "no-scaling"))[0] == 3

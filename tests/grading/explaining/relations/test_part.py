"""Something missing, or too much, at an end."""

from __future__ import annotations

import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS[:, :-1], ROWS)], "the end is missing"),
        ([pair(ROWS[1:], ROWS)], "the beginning is missing"),
        ([pair(ROWS, ROWS[:, :-1])], "something after it"),
        ([pair(ROWS, ROWS[1:])], "something before it"),
        ([pair(ROWS[:, :-1] + 1, ROWS)], ""),
        ([pair(ROWS[:, :0], ROWS)], ""),
        ([pair(ROWS[:, :-1], ROWS), pair(ROWS[:, 1:], ROWS)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("part", *pairs)
    assert (expected in found) if expected else not found

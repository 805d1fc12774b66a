"""A constant that was added."""

from __future__ import annotations

import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import BITS, ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS + 1, ROWS), pair(ROWS[:2] + 1, ROWS[:2])], "1 too large"),
        ([pair(ROWS - 0.5, ROWS)], "0.5 too small"),
        ([pair(ROWS + 1, ROWS), pair(ROWS + 2, ROWS)], ""),
        ([pair(ROWS, ROWS)], ""),
        ([pair(4.0, 3.0)], ""),
        ([pair(BITS, ~BITS)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("offset", *pairs)
    assert (expected in found) if expected else not found

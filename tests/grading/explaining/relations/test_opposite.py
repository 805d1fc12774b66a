"""Opposite signs and truth values."""

from __future__ import annotations

import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import BITS, ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(~BITS, BITS)], "True and False"),
        ([pair(-ROWS, ROWS)], "opposite sign"),
        ([pair(-ROWS, ROWS), pair(ROWS, ROWS + 1)], ""),
        ([pair([True], [False])], ""),
        ([pair(BITS, ~BITS), pair(ROWS, -ROWS)], ""),
        ([pair(-1.0, 1.0)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("opposite", *pairs)
    assert (expected in found) if expected else not found

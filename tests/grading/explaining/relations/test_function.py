"""A function of the correct result."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS**2, ROWS)], "the square of"),
        ([pair(np.exp(ROWS), ROWS)], "the exponential of"),
        ([pair(np.abs(ROWS), ROWS)], "the absolute value of"),
        ([pair(ROWS.sum(-1), ROWS)], "the sum of the correct one over"),
        ([pair(np.exp(1.5), 1.5), pair(np.exp(2.5), 2.5)], "the exponential of"),
        ([pair(np.exp(1.5), 1.5)], ""),
        ([pair(ROWS, ROWS)], ""),
        ([pair(ROWS**2, ROWS), pair(ROWS**3, ROWS)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("function", *pairs)
    assert (expected in found) if expected else not found

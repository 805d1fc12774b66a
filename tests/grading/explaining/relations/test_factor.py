"""A constant factor, and what it is in terms of the case."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import BITS, ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(2 * ROWS, ROWS)], "times 2."),
        ([pair(ROWS * 2, ROWS, x=np.zeros((5, 7)))], "times 2."),
        ([pair(ROWS * np.sqrt(7), ROWS, q=np.zeros((5, 7)))], "times √q.shape[-1] = 2.646"),
        ([pair(ROWS / np.sqrt(n), ROWS, q=np.zeros((5, n))) for n in (7, 11)], "1/√q.shape[-1]"),
        ([pair(ROWS * 1.2345, ROWS)], "times 1.234"),
        ([pair(ROWS * 1.2345, ROWS), pair(ROWS * 2.345, ROWS)], "a constant (1.234"),
        ([pair(ROWS, ROWS)], ""),
        ([pair(-ROWS, ROWS)], ""),
        ([pair(ROWS * 2, ROWS), pair(ROWS + 1, ROWS)], ""),
        ([pair(6.0, 3.0)], ""),
        ([pair(6.0, 3.0), pair(10.0, 5.0)], "times 2."),
        ([pair(BITS, ~BITS)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("factor", *pairs)
    assert (expected in found) if expected else not found

"""Right where an argument has certain values."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said

BITS = np.array([[True, False, True, True], [False, False, True, False], [True, True, False, True]])


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(np.where(BITS, ROWS, 9), ROWS, mask=BITS)], "exactly where `mask` is True"),
        ([pair(np.where(BITS, 9, ROWS), ROWS, mask=BITS)], "exactly where `mask` is False"),
        ([pair(np.where(ROWS > 0, ROWS, 9), ROWS, x=ROWS)], "exactly where `x` is positive"),
        ([pair(np.where(ROWS < 0, ROWS, 9), ROWS, x=ROWS)], "exactly where `x` is negative"),
        ([pair(np.where(BITS, ROWS, 9), ROWS, x=np.where(BITS, 0, ROWS))], "exactly where `x` is 0"),
        ([pair(np.where(BITS, ROWS, 9), ROWS, mask=BITS), pair(np.where(BITS, 9, ROWS), ROWS, mask=BITS)], ""),
        ([pair(np.where(BITS, ROWS, 9), ROWS, mask=BITS[0])], ""),
        ([pair(ROWS + 1, ROWS, mask=BITS)], ""),
        ([pair(np.array([1, 5]), np.array([1, 2]), x=np.array([0, 1]))], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("by_argument", *pairs)
    assert (expected in found) if expected else not found

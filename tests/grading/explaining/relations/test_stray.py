"""NaN and infinity, and where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said

EMPTY = np.array([[False], [True], [False]])
MASK = np.broadcast_to(~EMPTY, (3, 5))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(np.where(EMPTY, np.nan, ROWS), ROWS, mask=MASK)], "may attend to no key at all: these are NaN"),
        ([pair(np.where(EMPTY, np.nan, ROWS), ROWS)], "Wherever your result is a finite number, it is correct"),
        ([pair(ROWS * np.nan, ROWS)], "Every number in your result is NaN"),
        ([pair(np.where(EMPTY, np.nan, ROWS + 1), ROWS)], ""),
        ([pair(ROWS, ROWS + 1)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("stray", *pairs)
    assert (expected in found) if expected else not found

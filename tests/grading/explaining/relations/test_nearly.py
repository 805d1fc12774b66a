"""Small differences."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS + 0.001, ROWS)], "no number is off by more than 0.1 %"),
        ([pair(ROWS + 0.1, ROWS)], ""),
        ([pair(ROWS + np.nan, ROWS)], ""),
        ([pair(3.001, 3.0)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("nearly", *pairs)
    assert (expected in found) if expected else not found

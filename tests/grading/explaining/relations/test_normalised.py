"""Slices that are multiples of the correct ones."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS * [[2], [3], [4]], ROWS)], "times a factor that differs"),
        ([pair(ROWS + np.array([[2], [3], [4]]), ROWS)], "plus a constant that differs"),
        ([pair(ROWS**2, ROWS)], ""),
        ([pair(ROWS * [[2], [3], [4]], ROWS), pair(ROWS**2, ROWS)], ""),
        ([pair(np.ones((3, 4)) * [[2], [3], [4]], np.ones((3, 4)))], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("normalised", *pairs)
    assert (expected in found) if expected else not found

"""Axes in another order, and numbers in another shape."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said

CUBE = np.arange(24.0).reshape(2, 3, 4) ** 2


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS.T, ROWS)], "transposed"),
        ([pair(CUBE.transpose(1, 0, 2), CUBE)], "axes 0 and 1 swapped"),
        ([pair(CUBE.transpose(1, 2, 0), CUBE)], "transposed to"),
        ([pair(ROWS.reshape(2, 6), ROWS)], "the shape is (2, 6) instead of (3, 4)"),
        ([pair(ROWS.T.reshape(3, 4), ROWS)], "reshaped before its axes"),
        ([pair(ROWS, ROWS + 1)], ""),
        ([pair(np.ones((2, 3)), np.ones((3, 2)))], ""),
        ([pair(ROWS.T, ROWS), pair(ROWS, ROWS + 1)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("axes", *pairs)
    assert (expected in found) if expected else not found

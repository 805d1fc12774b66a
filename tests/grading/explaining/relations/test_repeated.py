"""One slice used for all."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(np.broadcast_to(ROWS[:1], ROWS.shape), ROWS)], "repeats the first slice of the correct one"),
        ([pair(np.broadcast_to(ROWS[-1:], ROWS.shape), ROWS)], "repeats the last slice of the correct one"),
        ([pair(np.broadcast_to(ROWS[:1] + 9, ROWS.shape), ROWS)], "are equal; in the correct one they differ"),
        ([pair(ROWS + 1, ROWS)], ""),
        ([pair(np.broadcast_to(ROWS[:1], ROWS.shape), ROWS), pair(ROWS, ROWS + 1)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("repeated", *pairs)
    assert (expected in found) if expected else not found

"""Right numbers in other places."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import BITS, ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS[:, ::-1], ROWS)], "reversed along the last axis"),
        ([pair(ROWS[::-1], ROWS)], "reversed along the second-to-last axis"),
        ([pair(np.roll(ROWS, 1, -1), ROWS)], "shifted forward by one along the last axis"),
        ([pair(np.roll(ROWS, -1, -1), ROWS)], "shifted back by one along the last axis"),
        ([pair(ROWS[:, [2, 0, 1, 3]], ROWS)], "in the wrong order"),
        ([pair(np.sort(ROWS.ravel()).reshape(3, 4), ROWS)], "in the wrong places"),
        ([pair(ROWS + 1, ROWS)], ""),
        ([pair(BITS, ~BITS)], ""),
        ([pair(np.zeros(5), np.zeros(5))], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("order", *pairs)
    assert (expected in found) if expected else not found

"""The same number everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(np.zeros((2, 3)), np.arange(6.0).reshape(2, 3))], "is 0 everywhere"),
        ([pair(0.0, 3.0), pair(0.0, 4.0)], "is 0 everywhere"),
        ([pair(0.0, 3.0), pair(1.0, 4.0)], ""),
        ([pair(0.0, 3.0)], ""),
        ([pair(ROWS, ROWS + 1)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("constant", *pairs)
    assert (expected in found) if expected else not found

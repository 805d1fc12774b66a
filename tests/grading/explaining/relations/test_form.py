"""Right values of another type."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import BITS, ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(BITS.astype(int), BITS)], "integers where booleans"),
        ([pair(BITS.astype(float), BITS)], "floats where booleans"),
        ([pair((~BITS).astype(int), BITS)], "the opposite of the correct one"),
        ([pair(np.where(BITS, 0.0, -np.inf), BITS)], "a mask to add to the scores"),
        ([pair(np.array([1.0, 2.0]), np.array([1, 2]))], "floats where integers"),
        ([pair(np.array([1.5, 2.0]), np.array([1, 2]))], ""),
        ([pair(ROWS, ROWS + 1)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("form", *pairs)
    assert (expected in found) if expected else not found

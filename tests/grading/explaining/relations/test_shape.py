"""Other shapes."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (
            [pair(np.zeros((2, n)), np.zeros((2, 3)), q=np.zeros((4, n))) for n in (5, 6)],
            "as long as `q` (5 entries); it should have 3",
        ),
        ([pair(np.zeros((2, 5)), np.zeros((2, 3)))], "Along the last axis, your result has 5 entries"),
        ([pair(np.zeros((2, 5, 1)), np.zeros((2, 5)))], "one axis too many"),
        ([pair(np.zeros(5), np.zeros((2, 5, 1)))], "2 axes too few"),
        ([pair(ROWS, ROWS + 1)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("shape", *pairs)
    assert (expected in found) if expected else not found

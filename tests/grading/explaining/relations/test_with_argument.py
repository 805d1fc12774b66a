"""An argument added, or left out."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said

X = np.cos(np.arange(12.0)).reshape(3, 4)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(ROWS + X, ROWS, x=X)], "plus `x`"),
        ([pair(ROWS - X, ROWS, x=X)], "minus `x`"),
        ([pair(2 * X - ROWS, ROWS, x=X)], "is 2·`x` minus the correct one"),
        ([pair(X, ROWS, x=X)], "is `x` itself"),
        ([pair(ROWS + X, ROWS, x=X[:1])], ""),
        ([pair(ROWS + X, ROWS, x=X), pair(ROWS, ROWS + 1, x=X)], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("with_argument", *pairs)
    assert (expected in found) if expected else not found

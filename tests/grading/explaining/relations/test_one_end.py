"""Right at one end."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import ROWS, pair, said

FROM_THE_SECOND = np.hstack([ROWS[:, :1], ROWS[:, 1:] + 1])
BUT_THE_LAST = np.hstack([ROWS[:, :-1] + 1, ROWS[:, -1:]])


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(FROM_THE_SECOND, ROWS), pair(FROM_THE_SECOND, ROWS)], "the first slice of your result is always"),
        ([pair(BUT_THE_LAST, ROWS), pair(BUT_THE_LAST, ROWS)], "the last slice of your result is always"),
        ([pair(FROM_THE_SECOND, ROWS), pair(BUT_THE_LAST, ROWS)], ""),
        ([pair(FROM_THE_SECOND[0], ROWS[0])], ""),
        ([pair(ROWS + 1, ROWS), pair(ROWS + 1, ROWS)], ""),
        ([pair(FROM_THE_SECOND[:, :2], ROWS[:, :2])] * 2, ""),
        ([pair(FROM_THE_SECOND[0, 0], ROWS[0, 1])], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("one_end", *pairs)
    assert (expected in found) if expected else not found

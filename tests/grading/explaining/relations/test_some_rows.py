"""Right except in some slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.explaining import ROWS, pair, says

SQUARE = np.arange(16.0).reshape(4, 4) ** 2


def wrong_at(index: Any) -> Any:
    """The correct result, but for some entries."""
    got = ROWS.copy()
    got[index] += 1
    return got


test_what_is_said = says(
    "some_rows",
    ([pair(wrong_at(0), ROWS)], "in the first slice along the second-to-last axis"),
    ([pair(wrong_at(-1), ROWS)], "in the last slice along the second-to-last axis"),
    ([pair(wrong_at((slice(None), 3)), ROWS)], "in the last slice along the last axis"),
    ([pair(wrong_at((slice(None), [1, 3])), ROWS)], "with odd indices along the last axis"),
    ([pair(wrong_at(1), ROWS, mask=np.array([[True], [False], [True]]))], "may attend to no key at all"),
    ([pair(SQUARE + np.eye(4), SQUARE)], "except on the diagonal"),
    ([pair(SQUARE + np.triu(np.ones((4, 4)), 1), SQUARE)], "except above the diagonal"),
    ([pair((ROWS > 0) & (ROWS < 2), ROWS > 0)], "every True in it is correct"),
    ([pair(np.maximum(ROWS, 0), ROWS)], "is 0 where it is wrong"),
    ([pair(ROWS + 1, ROWS)], ""),
    ([pair(wrong_at(0), ROWS), pair(ROWS + 1, ROWS)], ""),
)

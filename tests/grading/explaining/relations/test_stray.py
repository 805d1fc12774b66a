"""NaN and infinity, and where they stand."""

import numpy as np

from tests.explaining import ROWS, pair, says

EMPTY = np.array([[False], [True], [False]])
MASK = np.broadcast_to(~EMPTY, (3, 5))


test_what_is_said = says(
    "stray",
    ([pair(np.where(EMPTY, np.nan, ROWS), ROWS, mask=MASK)], "may attend to no key at all: these are NaN"),
    ([pair(np.where(EMPTY, np.nan, ROWS), ROWS)], "Wherever your result is a finite number, it is correct"),
    ([pair(ROWS * np.nan, ROWS)], "Every number in your result is NaN"),
    ([pair(np.where(EMPTY, np.nan, ROWS + 1), ROWS)], ""),
    ([pair(ROWS, ROWS + 1)], ""),
)

"""Small differences."""

import numpy as np

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "nearly",
    ([pair(ROWS + 0.001, ROWS)], "no number is off by more than 0.1 %"),
    ([pair(ROWS + 0.1, ROWS)], ""),
    ([pair(ROWS + np.nan, ROWS)], ""),
    ([pair(3.001, 3.0)], ""),
)

"""Axes in another order, and numbers in another shape."""

import numpy as np

from tests.explaining import ROWS, pair, says

CUBE = np.arange(24.0).reshape(2, 3, 4) ** 2


test_what_is_said = says(
    "axes",
    ([pair(ROWS.T, ROWS)], "transposed"),
    ([pair(CUBE.transpose(1, 0, 2), CUBE)], "axes 0 and 1 swapped"),
    ([pair(CUBE.transpose(1, 2, 0), CUBE)], "transposed to"),
    ([pair(ROWS.reshape(2, 6), ROWS)], "the shape is (2, 6) instead of (3, 4)"),
    ([pair(ROWS.T.reshape(3, 4), ROWS)], "reshaped before its axes"),
    ([pair(ROWS, ROWS + 1)], ""),
    ([pair(np.ones((2, 3)), np.ones((3, 2)))], ""),
    ([pair(ROWS.T, ROWS), pair(ROWS, ROWS + 1)], ""),
)

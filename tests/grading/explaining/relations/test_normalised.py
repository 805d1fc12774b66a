"""Slices that are multiples of the correct ones."""

import numpy as np

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "normalised",
    ([pair(ROWS * [[2], [3], [4]], ROWS)], "times a factor that differs"),
    ([pair(ROWS + np.array([[2], [3], [4]]), ROWS)], "plus a constant that differs"),
    ([pair(ROWS**2, ROWS)], ""),
    ([pair(ROWS * [[2], [3], [4]], ROWS), pair(ROWS**2, ROWS)], ""),
    ([pair(np.ones((3, 4)) * [[2], [3], [4]], np.ones((3, 4)))], ""),
)

"""A function of the correct result."""

import numpy as np

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "function",
    ([pair(ROWS**2, ROWS)], "the square of"),
    ([pair(np.exp(ROWS), ROWS)], "the exponential of"),
    ([pair(np.abs(ROWS), ROWS)], "the absolute value of"),
    ([pair(ROWS.sum(-1), ROWS)], "the sum of the correct one over"),
    ([pair(np.exp(1.5), 1.5), pair(np.exp(2.5), 2.5)], "the exponential of"),
    ([pair(np.exp(1.5), 1.5)], ""),
    ([pair(ROWS, ROWS)], ""),
    ([pair(ROWS**2, ROWS), pair(ROWS**3, ROWS)], ""),
)

"""A constant factor, and what it is in terms of the case."""

import numpy as np

from tests.explaining import BITS, ROWS, pair, says

test_what_is_said = says(
    "factor",
    ([pair(2 * ROWS, ROWS)], "times 2."),
    ([pair(ROWS * 2, ROWS, x=np.zeros((5, 7)))], "times 2."),
    ([pair(ROWS * np.sqrt(7), ROWS, q=np.zeros((5, 7)))], "times √q.shape[-1] = 2.646"),
    ([pair(ROWS / np.sqrt(n), ROWS, q=np.zeros((5, n))) for n in (7, 11)], "1/√q.shape[-1]"),
    ([pair(ROWS * 1.2345, ROWS)], "times 1.234"),
    ([pair(ROWS * 1.2345, ROWS), pair(ROWS * 2.345, ROWS)], "a constant (1.234"),
    ([pair(ROWS, ROWS)], ""),
    ([pair(-ROWS, ROWS)], ""),
    ([pair(ROWS * 2, ROWS), pair(ROWS + 1, ROWS)], ""),
    ([pair(6.0, 3.0)], ""),
    ([pair(6.0, 3.0), pair(10.0, 5.0)], "times 2."),
    ([pair(BITS, ~BITS)], ""),
)

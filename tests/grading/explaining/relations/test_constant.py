"""The same number everywhere."""

import numpy as np

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "constant",
    ([pair(np.zeros((2, 3)), np.arange(6.0).reshape(2, 3))], "is 0 everywhere"),
    ([pair(0.0, 3.0), pair(0.0, 4.0)], "is 0 everywhere"),
    ([pair(0.0, 3.0), pair(1.0, 4.0)], ""),
    ([pair(0.0, 3.0)], ""),
    ([pair(ROWS, ROWS + 1)], ""),
)

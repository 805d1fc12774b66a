"""Right where an argument has certain values."""

import numpy as np

from tests.explaining import ROWS, pair, says

BITS = np.array([[True, False, True, True], [False, False, True, False], [True, True, False, True]])


test_what_is_said = says(
    "by_argument",
    ([pair(np.where(BITS, ROWS, 9), ROWS, mask=BITS)], "exactly where `mask` is True"),
    ([pair(np.where(BITS, 9, ROWS), ROWS, mask=BITS)], "exactly where `mask` is False"),
    ([pair(np.where(ROWS > 0, ROWS, 9), ROWS, x=ROWS)], "exactly where `x` is positive"),
    ([pair(np.where(ROWS < 0, ROWS, 9), ROWS, x=ROWS)], "exactly where `x` is negative"),
    ([pair(np.where(BITS, ROWS, 9), ROWS, x=np.where(BITS, 0, ROWS))], "exactly where `x` is 0"),
    ([pair(np.where(BITS, ROWS, 9), ROWS, mask=BITS), pair(np.where(BITS, 9, ROWS), ROWS, mask=BITS)], ""),
    ([pair(np.where(BITS, ROWS, 9), ROWS, x=np.where(BITS, 0, ROWS)), pair(ROWS + 1, ROWS, x=ROWS)], ""),
    ([pair(np.where(BITS, ROWS, 9), ROWS, mask=BITS[0])], ""),
    ([pair(ROWS + 1, ROWS, mask=BITS)], ""),
    ([pair(np.array([1, 5]), np.array([1, 2]), x=np.array([0, 1]))], ""),
)

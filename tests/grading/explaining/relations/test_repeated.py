"""One slice used for all."""

import numpy as np

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "repeated",
    ([pair(np.broadcast_to(ROWS[:1], ROWS.shape), ROWS)], "repeats the first slice of the correct one"),
    ([pair(np.broadcast_to(ROWS[-1:], ROWS.shape), ROWS)], "repeats the last slice of the correct one"),
    ([pair(np.broadcast_to(ROWS[:1] + 9, ROWS.shape), ROWS)], "are equal; in the correct one they differ"),
    ([pair(ROWS + 1, ROWS)], ""),
    ([pair(np.broadcast_to(ROWS[:1], ROWS.shape), ROWS), pair(ROWS, ROWS + 1)], ""),
)

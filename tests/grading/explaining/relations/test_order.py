"""Right numbers in other places."""

import numpy as np

from tests.explaining import BITS, ROWS, pair, says

test_what_is_said = says(
    "order",
    ([pair(ROWS[:, ::-1], ROWS)], "reversed along the last axis"),
    ([pair(ROWS[::-1], ROWS)], "reversed along the second-to-last axis"),
    ([pair(np.roll(ROWS, 1, -1), ROWS)], "shifted forward by one along the last axis"),
    ([pair(np.roll(ROWS, -1, -1), ROWS)], "shifted back by one along the last axis"),
    ([pair(ROWS[:, [2, 0, 1, 3]], ROWS)], "in the wrong order"),
    ([pair(np.sort(ROWS.ravel()).reshape(3, 4), ROWS)], "in the wrong places"),
    ([pair(ROWS + 1, ROWS)], ""),
    ([pair(BITS, ~BITS)], ""),
    ([pair(np.zeros(5), np.zeros(5))], ""),
)

"""Other shapes."""

import numpy as np

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "shape",
    (
        [pair(np.zeros((2, n)), np.zeros((2, 3)), q=np.zeros((4, n))) for n in (5, 6)],
        "as long as `q` (5 entries); it should have 3",
    ),
    ([pair(np.zeros((2, 5)), np.zeros((2, 3)))], "Along the last axis, your result has 5 entries"),
    ([pair(np.zeros((2, 5, 1)), np.zeros((2, 5)))], "one axis too many"),
    ([pair(np.zeros(5), np.zeros((2, 5, 1)))], "2 axes too few"),
    ([pair(ROWS, ROWS + 1)], ""),
)

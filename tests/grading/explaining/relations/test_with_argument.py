"""An argument added, or left out."""

import numpy as np

from tests.explaining import ROWS, pair, says

X = np.cos(np.arange(12.0)).reshape(3, 4)


test_what_is_said = says(
    "with_argument",
    ([pair(ROWS + X, ROWS, x=X)], "plus `x`"),
    ([pair(ROWS - X, ROWS, x=X)], "minus `x`"),
    ([pair(2 * X - ROWS, ROWS, x=X)], "is 2·`x` minus the correct one"),
    ([pair(X, ROWS, x=X)], "is `x` itself"),
    ([pair(ROWS + X, ROWS, x=X[:1])], ""),
    ([pair(ROWS + X, ROWS, x=X), pair(ROWS, ROWS + 1, x=X)], ""),
)

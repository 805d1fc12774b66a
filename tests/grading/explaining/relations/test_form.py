"""Right values of another type."""

import numpy as np

from tests.explaining import BITS, ROWS, pair, says

test_what_is_said = says(
    "form",
    ([pair(BITS.astype(int), BITS)], "integers where booleans"),
    ([pair(BITS.astype(float), BITS)], "floats where booleans"),
    ([pair((~BITS).astype(int), BITS)], "the opposite of the correct one"),
    ([pair(np.where(BITS, 0.0, -np.inf), BITS)], "a mask to add to the scores"),
    ([pair(np.array([1.0, 2.0]), np.array([1, 2]))], "floats where integers"),
    ([pair(np.array([1.5, 2.0]), np.array([1, 2]))], ""),
    ([pair(ROWS, ROWS + 1)], ""),
)

"""A constant that was added."""

from tests.explaining import BITS, ROWS, pair, says

test_what_is_said = says(
    "offset",
    ([pair(ROWS + 1, ROWS), pair(ROWS[:2] + 1, ROWS[:2])], "1 too large"),
    ([pair(ROWS - 0.5, ROWS)], "0.5 too small"),
    ([pair(ROWS + 1, ROWS), pair(ROWS + 2, ROWS)], ""),
    ([pair(ROWS, ROWS)], ""),
    ([pair(4.0, 3.0)], ""),
    ([pair(BITS, ~BITS)], ""),
)

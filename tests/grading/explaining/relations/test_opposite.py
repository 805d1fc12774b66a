"""Opposite signs and truth values."""

from tests.explaining import BITS, ROWS, pair, says

test_what_is_said = says(
    "opposite",
    ([pair(~BITS, BITS)], "True and False"),
    ([pair(-ROWS, ROWS)], "opposite sign"),
    ([pair(-ROWS, ROWS), pair(ROWS, ROWS + 1)], ""),
    ([pair([True], [False])], ""),
    ([pair(BITS, ~BITS), pair(ROWS, -ROWS)], ""),
    ([pair(-1.0, 1.0)], ""),
)

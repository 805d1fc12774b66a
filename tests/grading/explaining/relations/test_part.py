"""Something missing, or too much, at an end."""

from tests.explaining import ROWS, pair, says

test_what_is_said = says(
    "part",
    ([pair(ROWS[:, :-1], ROWS)], "the end is missing"),
    ([pair(ROWS[1:], ROWS)], "the beginning is missing"),
    ([pair(ROWS, ROWS[:, :-1])], "something after it"),
    ([pair(ROWS, ROWS[1:])], "something before it"),
    ([pair(ROWS[:, :-1] + 1, ROWS)], ""),
    ([pair(ROWS[:, :0], ROWS)], ""),
    ([pair(ROWS[:, :-1], ROWS), pair(ROWS[:, 1:], ROWS)], ""),
)

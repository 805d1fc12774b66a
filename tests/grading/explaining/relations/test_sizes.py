"""Counts that are wrong by a product of sizes."""

from tests.explaining import pair, says

test_what_is_said = says(
    "sizes",
    ([pair(n * d + d, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "too large by d."),
    ([pair(n * d - 2 * n, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "too small by 2·n."),
    ([pair(n * d * n, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "times n."),
    ([pair(n, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "times 1/d."),
    ([pair(7, 4, n=3, d=5)], ""),
    ([pair(n + 17 + n % 2, n, n=n, d=d) for n, d in ((5, 3), (8, 4))], ""),
)

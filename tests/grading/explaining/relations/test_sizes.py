"""Counts that are wrong by a product of sizes."""

from __future__ import annotations

import pytest

from grader.grading.explaining.relations import Pair
from tests.explaining import pair, said


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([pair(n * d + d, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "too large by d."),
        ([pair(n * d - 2 * n, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "too small by 2·n."),
        ([pair(n * d * n, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "times n."),
        ([pair(n, n * d, n=n, d=d) for n, d in ((5, 3), (7, 4))], "times 1/d."),
        ([pair(7, 4, n=3, d=5)], ""),
        ([pair(n + 17 + n % 2, n, n=n, d=d) for n, d in ((5, 3), (8, 4))], ""),
    ],
)
def test_what_is_said(pairs: list[Pair], expected: str) -> None:
    """What holds in every pair is said; what could be chance, or holds in some only, is not."""
    found = said("sizes", *pairs)
    assert (expected in found) if expected else not found

"""The result is the correct one plus a constant.

## What it says

The constant, if it is the same in every case.

## Example

Positions that start at 1 instead of 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, count_distinct, near

RANK = 30
_MORE = Message("Every number in your result is {by} too large.")
_LESS = Message("Every number in your result is {by} too small.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The message if all results differ by the same constant, else None."""
    offsets = []
    for pair in pairs:
        if not pair.alike or pair.expected.dtype.kind == "b" or not np.isfinite(pair.expected).any():
            return None
        by = pair.got.astype(np.float64) - pair.expected
        sure = by[np.isfinite(by)]
        if not sure.size or not near(np.full_like(sure, sure.flat[0]), sure) or abs(sure.flat[0]) < 1e-3:
            return None
        offsets.append(float(sure.flat[0]))
    if count_distinct(pairs) < 3 or not all(
        math.isclose(each, offsets[0], rel_tol=1e-3, abs_tol=1e-4) for each in offsets
    ):
        return None
    return (_MORE if offsets[0] > 0 else _LESS).fill(by=f"{abs(offsets[0]):.4g}")

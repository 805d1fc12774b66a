"""One slice of the correct result is used for all of them.

## What it says

Which slice (the first or the last) along which axis is used for all.

## Example

The mask of the first sample that is applied to the whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, axis_name, count_distinct, near

RANK = 16
_FIRST = Message("Along {axis}, your result repeats the first slice of the correct one.")
_LAST = Message("Along {axis}, your result repeats the last slice of the correct one.")
_SAME = Message("Along {axis}, all slices of your result are equal; in the correct one they differ.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Which slice is used for all."""
    if not all(pair.alike and pair.expected.ndim for pair in pairs) or count_distinct(pairs) < ENOUGH:
        return None
    ndim = min(pair.expected.ndim for pair in pairs)
    for at, said in ((0, _FIRST), (-1, _LAST), (None, _SAME)):
        for axis in range(-1, -ndim - 1, -1):
            if all(_repeats(pair, axis, at) for pair in pairs):
                most = max(pair.expected.ndim for pair in pairs)
                return said.fill(axis=axis_name(most, most + axis))
    return None


def _repeats(pair: Pair, axis: int, at: int | None) -> bool:
    if pair.got.shape[axis] < 2:
        return False
    taken = np.take(pair.got, [0], axis) if at is None else np.take(pair.expected, [at], axis)
    all_alike = near(np.broadcast_to(taken, pair.got.shape), pair.got)
    return all_alike and not near(np.broadcast_to(np.take(pair.expected, [0], axis), pair.got.shape), pair.expected)

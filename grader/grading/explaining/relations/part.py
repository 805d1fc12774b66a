"""Part of the correct result is missing, or something was added at either end.

## What it says

Along which axis, and whether something is missing or extra at the beginning or the end.

## Example

A token that was generated and never appended.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, axis_name, count_distinct, near

RANK = 18
_END = Message("Your result is correct, but along {axis} the end is missing.")
_START = Message("Your result is correct, but along {axis} the beginning is missing.")
_AFTER = Message("Your result begins with the correct one, but along {axis} there is something after it.")
_BEFORE = Message("Your result ends with the correct one, but along {axis} there is something before it.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """What is missing, or too much."""
    if count_distinct(pairs) < 2 or not all(pair.got.ndim == pair.expected.ndim > 0 for pair in pairs):
        return None
    ndim = min(pair.expected.ndim for pair in pairs)
    for axis in range(-1, -ndim - 1, -1):
        for said, holds in _WAYS:
            if all(holds(pair.got, pair.expected, axis) for pair in pairs):
                return said.fill(axis=axis_name(ndim, ndim + axis))
    return None


def _first(short: NDArray[np.generic], long: NDArray[np.generic], axis: int) -> bool:
    count = short.shape[axis]
    return 0 < count < long.shape[axis] and near(np.take(long, range(count), axis), short)


def _last(short: NDArray[np.generic], long: NDArray[np.generic], axis: int) -> bool:
    count, size = short.shape[axis], long.shape[axis]
    return 0 < count < size and near(np.take(long, range(size - count, size), axis), short)


_WAYS = (
    (_END, _first),
    (_START, _last),
    (_AFTER, lambda got, expected, axis: _first(expected, got, axis)),
    (_BEFORE, lambda got, expected, axis: _last(expected, got, axis)),
)

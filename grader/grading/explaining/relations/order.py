"""The correct numbers are in the wrong places: reversed, shifted by one, or in some other order.

## What it says

Along which axis the result is reversed or shifted; otherwise only that the numbers are correct and their places are
not.

## Example

Heads that are joined in reverse, or targets that are shifted the wrong way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, axis_name, count_distinct, near

RANK = 14
_REVERSED = Message("Your result is the correct one, reversed along {axis}.")
_LATER = Message("Your result is the correct one, shifted forward by one along {axis}.")
_EARLIER = Message("Your result is the correct one, shifted back by one along {axis}.")
_PARTS = Message("The slices of your result along {axis} are correct, but in the wrong order.")
_SORTED = Message("Your result has the correct numbers, but in the wrong places.")
_FEWEST = 6


def relate(pairs: Sequence[Pair]) -> Text | None:
    """How the numbers moved."""
    if not all(pair.alike and pair.expected.ndim for pair in pairs) or count_distinct(pairs) < ENOUGH:
        return None
    ndims = {pair.expected.ndim for pair in pairs}
    for from_end in range(1, min(ndims) + 1):
        said = next((text for text, holds in _ALONG if all(holds(pair, -from_end) for pair in pairs)), None)
        if said is not None:
            return said.fill(axis=axis_name(max(ndims), max(ndims) - from_end))
    same = all(
        near(np.sort(pair.got.ravel()), np.sort(pair.expected.ravel())) and count_distinct([pair]) >= _FEWEST
        for pair in pairs
        if pair.expected.dtype.kind != "b"
    )
    return _SORTED if same and all(pair.expected.dtype.kind != "b" for pair in pairs) else None


def _reversed(pair: Pair, axis: int) -> bool:
    return pair.got.shape[axis] > 1 and near(np.flip(pair.got, axis), pair.expected)


def _later(pair: Pair, axis: int) -> bool:
    return _shifted(pair.got, pair.expected, axis)


def _earlier(pair: Pair, axis: int) -> bool:
    return _shifted(pair.expected, pair.got, axis)


def _shifted(moved: NDArray[np.generic], other: NDArray[np.generic], axis: int) -> bool:
    """Whether ``moved`` without its first slice is ``other`` without its last one."""
    size = moved.shape[axis]
    if size < 3:
        return False
    here = np.take(moved, range(1, size), axis)
    there = np.take(other, range(size - 1), axis)
    varied = not near(np.take(there, range(size - 2), axis), np.take(there, range(1, size - 1), axis))
    return varied and near(here, there)


def _permuted(pair: Pair, axis: int) -> bool:
    mine, right = list(_slices(pair.got, axis)), list(_slices(pair.expected, axis))
    if len(mine) < 2 or right[0].size < 2:
        return False
    for each in right:
        at = next((index for index, other in enumerate(mine) if near(each, other)), None)
        if at is None:
            return False
        del mine[at]
    return True


def _slices(array: NDArray[np.generic], axis: int) -> Iterator[NDArray[np.generic]]:
    yield from np.moveaxis(array, axis, 0)


_ALONG = ((_REVERSED, _reversed), (_LATER, _later), (_EARLIER, _earlier), (_PARTS, _permuted))

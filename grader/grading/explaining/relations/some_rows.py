"""The result is correct except in some slices: the first, the last, or those that a mask empties.

## What it says

Which slices along which axis are wrong.

## Example

A query without any key whose row is the mean of the values instead of zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, axis_name, equal_entries, rows_without_keys

RANK = 40
_EMPTY = Message("Your result is correct except in the rows of queries that may attend to no key at all.")
_IN = Message("Your result is correct except {which} along {axis}.")
_ABOVE = Message("Your result is correct except above the diagonal of the last two axes.")
_BELOW = Message("Your result is correct except below the diagonal of the last two axes.")
_ZERO = Message("Here, your result is 0 where it is wrong; everything else is correct.")
_NEGATIVE = Message("Your result is wrong only where a negative number is expected.")

_Wrong = NDArray[np.bool_]
_FEWEST, _HALF = 3, 0.5


_WHICH: tuple[tuple[Text, Callable[[int], tuple[int, ...]]], ...] = (
    (Message("in the first slice"), lambda size: (0,)),
    (Message("in the last slice"), lambda size: (size - 1,)),
    (Message("in the first and the last slice"), lambda size: (0, size - 1)),
    (Message("in all slices but the first"), lambda size: tuple(range(1, size))),
    (Message("in all slices but the last"), lambda size: tuple(range(size - 1))),
    (Message("in the slices with odd indices"), lambda size: tuple(range(1, size, 2))),
    (Message("in the slices with even indices"), lambda size: tuple(range(0, size, 2))),
    (Message("in the first half"), lambda size: tuple(range(size // 2))),
    (Message("in the second half"), lambda size: tuple(range((size + 1) // 2, size))),
)


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The message naming the slices that are wrong, or None."""
    if not all(pair.alike and pair.expected.ndim for pair in pairs):
        return None
    wrong = [~equal_entries(pair.got, pair.expected) for pair in pairs]
    right = sum(int((~each).sum()) for each in wrong)
    if right < ENOUGH or any(each.all() or not each.any() for each in wrong):
        return None
    if all(rows_without_keys(pair, np.asarray(each.any(axis=-1))) for pair, each in zip(pairs, wrong, strict=True)):
        return _EMPTY
    return next(_found(pairs, wrong), None)


def _found(pairs: Sequence[Pair], wrong: Sequence[_Wrong]) -> Iterator[Text]:
    ndim = min(each.ndim for each in wrong)
    if ndim >= 2:
        yield from _about_the_diagonal(wrong)
    for axis in range(-1, -ndim - 1, -1):
        for said, which in _WHICH:
            if all(_are(np.moveaxis(each, axis, 0), which(each.shape[axis])) for each in wrong):
                yield _IN.fill(which=said, axis=axis_name(ndim, ndim + axis))
    yield from _by_value(pairs, wrong)


def _by_value(pairs: Sequence[Pair], wrong: Sequence[_Wrong]) -> Iterator[Text]:
    both = list(zip(pairs, wrong, strict=True))
    if all(pair.expected.dtype.kind == "b" for pair in pairs):
        if all(pair.expected[each].all() for pair, each in both):
            yield Message("Your result is False in some places where True is expected; every True in it is correct.")
        if all(not pair.expected[each].any() for pair, each in both):
            yield Message("Your result is True in some places where False is expected; every False in it is correct.")
    elif all((pair.expected[each] == 0).all() for pair, each in both):
        yield Message("Your result is wrong only where 0 is expected.")
    elif all((pair.got[each] == 0).all() for pair, each in both):
        yield _ZERO
    elif all((pair.expected[each] < 0).all() and (pair.expected < 0).sum() == each.sum() for pair, each in both):
        yield _NEGATIVE


def _are(wrong: _Wrong, which: tuple[int, ...]) -> bool:
    """Whether exactly these slices along the first axis are wrong, and most of what is in them.

    A slice of a list is one entry: where it stands may follow from the order of the inputs alone.
    """
    size, least = len(wrong), 2 if wrong.ndim == 1 else 1
    if size < _FEWEST or not least <= len(which) <= size - least:
        return False
    found = np.flatnonzero(wrong.reshape(size, -1).any(axis=1))
    return set(found.tolist()) == set(which) and bool(wrong[list(which)].mean() > _HALF)


def _about_the_diagonal(wrong: Sequence[_Wrong]) -> Iterator[Text]:
    grids = [np.indices(each.shape[-2:]) for each in wrong]
    if min(min(each.shape[-2:]) for each in wrong) < 3:
        return
    marked = list(zip(wrong, grids, strict=True))
    for said, inside in _REGIONS:
        if all(
            not each[..., ~inside(*grid)].any() and each[..., inside(*grid)].mean() > _MOST for each, grid in marked
        ):
            yield said


#: The share of a region that has to be wrong.
_MOST = 0.75


_REGIONS: tuple[tuple[Text, Callable[[NDArray[np.int_], NDArray[np.int_]], _Wrong]], ...] = (
    (Message("Your result is correct except on the diagonal of the last two axes."), lambda row, column: row == column),
    (Message("Your result is correct only on the diagonal of the last two axes."), lambda row, column: row != column),
    (_ABOVE, lambda row, column: row < column),
    (_BELOW, lambda row, column: row > column),
)

"""The result has a different shape from the correct one.

## What it says

Along which axis the result has too many or too few entries, or how many axes are missing or too many.

## Example

A head axis that was not merged, or a result as wide as the queries instead of the values.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, array_arguments, axis_name

RANK = 90
_LIKE = Message("Along {axis}, your result is as long as `{name}` ({got} entries); it should have {expected}.")
_ALONG = Message("Along {axis}, your result has {got} entries; it should have {expected}.")
_MORE = Message("Your result has {count} axes too many.")
_ONE_MORE = Message("Your result has one axis too many.")
_ONE_LESS = Message("Your result has one axis too few.")
_LESS = Message("Your result has {count} axes too few.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Where the shapes differ."""
    by = {pair.got.ndim - pair.expected.ndim for pair in pairs}
    if len(by) > 1 or all(pair.got.shape == pair.expected.shape for pair in pairs):
        return None
    more = by.pop()
    if more:
        one, several = (_ONE_MORE, _MORE) if more > 0 else (_ONE_LESS, _LESS)
        return one if abs(more) == 1 else several.fill(count=abs(more))
    differing = [
        {axis - pair.got.ndim for axis in range(pair.got.ndim) if pair.got.shape[axis] != pair.expected.shape[axis]}
        for pair in pairs
    ]
    shared = set.intersection(*differing)
    if not shared:
        return None
    axis, first = max(shared), pairs[0]
    words = {
        "axis": axis_name(first.got.ndim, first.got.ndim + axis),
        "got": first.got.shape[axis],
        "expected": first.expected.shape[axis],
    }
    likes = [
        {name for name, array in array_arguments(pair.drawn) if array.ndim >= -axis and array.shape[axis] == size}
        for pair in pairs
        for size in [pair.got.shape[axis]]
    ]
    same = sorted(set.intersection(*likes))
    return _LIKE.fill(name=same[0], **words) if len(same) == 1 and len(pairs) > 1 else _ALONG.fill(**words)

"""One end of the result is correct, and what is beyond it is not.

## What it says

Along which axis the first or the last slice is correct in every case, although no rule was found for the rest.

## Example

A sequence that starts with the correct token and goes on with wrong ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, axis_name, equal_entries

RANK = 86
_FIRST = Message("Along {axis}, the first slice of your result is always correct; what follows is not.")
_LAST = Message("Along {axis}, the last slice of your result is always correct; what comes before it is not.")
_FEWEST = 3


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Which end is correct."""
    if not all(pair.alike and pair.expected.ndim for pair in pairs):
        return None
    right = [equal_entries(pair.got, pair.expected) for pair in pairs]
    ndim = min(each.ndim for each in right)
    for axis in range(-1, -min(ndim, 2) - 1, -1):
        if min(each.shape[axis] for each in right) < _FEWEST:
            continue
        for said, end in ((_FIRST, 0), (_LAST, -1)):
            ends = [np.take(each, end, axis) for each in right]
            if all(each.all() for each in ends) and sum(each.size for each in ends) >= ENOUGH:
                return said.fill(axis=axis_name(ndim, ndim + axis))
    return None

"""The result has its axes in another order, or its numbers in another shape.

## What it says

Which order of axes gives the correct result; or that the numbers are correct, row by row, but in another shape.

## Example

Heads that were merged before their axis was moved back.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, count_distinct, near

RANK = 12
_TRANSPOSED = Message("Your result is the correct one transposed.")
_SWAPPED = Message("Your result is the correct one with axes {one} and {two} swapped.")
_PERMUTED = Message("The axes of your result are in the wrong order: transposed to {order}, it would be correct.")
_SHAPE = Message("The numbers and their order are correct, but the shape is {got} instead of {expected}.")
_MERGED = Message(
    "The numbers are correct, but in the wrong places: something was reshaped before its axes were in the right order."
)
_MOST_AXES = 5


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The order of axes that would be correct, or the other shape."""
    if count_distinct(pairs) < ENOUGH:
        return None
    if all(pair.got.shape != pair.expected.shape and pair.got.size == pair.expected.size for pair in pairs) and all(
        near(pair.got.reshape(pair.expected.shape), pair.expected) for pair in pairs
    ):
        return _SHAPE.fill(got=pairs[0].got.shape, expected=pairs[0].expected.shape)
    axes = {pair.got.ndim for pair in pairs} | {pair.expected.ndim for pair in pairs}
    if len(axes) > 1 or not 2 <= max(axes) <= _MOST_AXES:
        return None
    for order in itertools.permutations(range(max(axes))):
        if order == tuple(range(len(order))):
            continue
        if all(near(np.transpose(pair.got, order), pair.expected) for pair in pairs):
            return _named(order)
    if len(axes) == 1 and all(pair.alike for pair in pairs):
        for order in itertools.permutations(range(max(axes))):
            if all(near(np.transpose(pair.expected, order).reshape(pair.got.shape), pair.got) for pair in pairs):
                return _MERGED
    return None


def _named(order: tuple[int, ...]) -> Text:
    moved = [axis for axis, place in enumerate(order) if axis != place]
    if len(order) == 2:
        return _TRANSPOSED
    return _SWAPPED.fill(one=moved[0], two=moved[1]) if len(moved) == 2 else _PERMUTED.fill(order=order)

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

from grader.core.model import Text
from grader.grading.explaining.relations import ENOUGH, Pair, count_distinct, near

RANK = 12
_TRANSPOSED = Text("Your result is the correct one transposed.", "你的结果是正确结果的转置。")
_SWAPPED = Text(
    "Your result is the correct one with axes {one} and {two} swapped.",
    "你的结果是正确结果的第 {one} 轴与第 {two} 轴互换（从 0 数起）。",
)
_PERMUTED = Text(
    "The axes of your result are in the wrong order: transposed to {order}, it would be correct.",
    "你的结果中轴的次序不对：按 {order} 转置之后就是正确的。",
)
_SHAPE = Text(
    "The numbers and their order are correct, but the shape is {got} instead of {expected}.",
    "数值和先后次序都对，但形状是 {got}，应为 {expected}。",
)
_MERGED = Text(
    "The numbers are correct, but in the wrong places: something was reshaped before its axes were in the right order.",
    "数值都对，但位置不对：还没有把轴换到正确的次序，就做了 reshape。",
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
    if len(moved) == 2:
        return _SWAPPED.fill(one=moved[0], two=moved[1])
    return _PERMUTED.fill(order=order)

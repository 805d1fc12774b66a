"""The result is a function of the correct one: its square, its root, its logarithm and so on.

## What it says

Which function, applied to every number.

## Example

A standard deviation where the variance belongs, or a loss where the perplexity belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, has_enough_distinct, near

RANK = 22
_SAYS = Message("Your result is {what}.")
_FUNCTIONS: tuple[tuple[Text, Callable[[NDArray[np.float64]], NDArray[np.float64]]], ...] = (
    (Message("the square of the correct one"), np.square),
    (Message("the square root of the correct one"), np.sqrt),
    (Message("the reciprocal of the correct one"), np.reciprocal),
    (Message("the exponential of the correct one"), np.exp),
    (Message("the natural logarithm of the correct one"), np.log),
    (Message("the logarithm to base 2 of the correct one"), np.log2),
    (Message("2 to the power of the correct one"), np.exp2),
    (Message("1 minus the correct one"), lambda x: 1 - x),
    (Message("the absolute value of the correct one"), np.abs),
    (Message("the softmax of the correct one over the last axis"), lambda x: _softmax(x)),
    (Message("the correct one rounded down"), np.floor),
    (Message("the correct one rounded up"), np.ceil),
    (Message("the correct one rounded to whole numbers"), np.round),
    (Message("the running sum of the correct one along the last axis"), lambda x: np.cumsum(x, -1)),
    (Message("the sum of the correct one over the last axis"), lambda x: x.sum(-1)),
    (Message("the sum of the correct one over the last axis, which is kept"), lambda x: x.sum(-1, keepdims=True)),
    (Message("the mean of the correct one over the last axis"), lambda x: x.mean(-1)),
    (Message("the mean of the correct one over the second-to-last axis"), lambda x: x.mean(-2)),
    (Message("the sum of the correct one over the second-to-last axis"), lambda x: x.sum(-2)),
    (Message("the mean of the correct one"), lambda x: x.mean()),
    (Message("the sum of the correct one"), lambda x: x.sum()),
    (Message("the index of the largest entry of the correct one along the last axis"), lambda x: x.argmax(-1)),
)


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The function, if one gives all results."""
    if not has_enough_distinct(pairs) or any(
        pair.expected.dtype.kind == "b" or pair.got.dtype.kind == "b" for pair in pairs
    ):
        return None
    with np.errstate(all="ignore"):
        for what, function in _FUNCTIONS:
            if all(_is(function, pair) for pair in pairs):
                return _SAYS.fill(what=what)
    return None


def _is(function: Callable[[NDArray[np.float64]], NDArray[np.float64]], pair: Pair) -> bool:
    try:
        there = np.asarray(function(pair.expected.astype(np.float64)))
    except (ValueError, IndexError):
        return False
    return bool(np.isfinite(there).any()) and near(pair.got, there) and not near(pair.got, pair.expected)


def _softmax(x: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(x - x.max(-1, keepdims=True)) if x.ndim else np.ones_like(x)
    return np.asarray(powers / powers.sum(-1, keepdims=True)) if x.ndim else powers

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

from grader.core.model import Text
from grader.grading.explaining.relations import Pair, has_enough_distinct, near

RANK = 22
_SAYS = Text("Your result is {what}.", "你的结果等于：{what}。")
_FUNCTIONS: tuple[tuple[Text, Callable[[NDArray[np.float64]], NDArray[np.float64]]], ...] = (
    (Text("the square of the correct one", "正确结果的平方"), np.square),
    (Text("the square root of the correct one", "正确结果的平方根"), np.sqrt),
    (Text("the reciprocal of the correct one", "正确结果的倒数"), np.reciprocal),
    (Text("the exponential of the correct one", "对正确结果取 exp 的值"), np.exp),
    (Text("the natural logarithm of the correct one", "正确结果的自然对数"), np.log),
    (Text("the logarithm to base 2 of the correct one", "正确结果以 2 为底的对数"), np.log2),
    (Text("2 to the power of the correct one", "2 的幂（以正确结果为指数）"), np.exp2),
    (Text("1 minus the correct one", "1 减去正确结果"), lambda x: 1 - x),
    (Text("the absolute value of the correct one", "正确结果的绝对值"), np.abs),
    (
        Text("the softmax of the correct one over the last axis", "正确结果沿最后一个轴的 softmax"),
        lambda x: _softmax(x),
    ),
    (Text("the correct one rounded down", "正确结果向下取整"), np.floor),
    (Text("the correct one rounded up", "正确结果向上取整"), np.ceil),
    (Text("the correct one rounded to whole numbers", "正确结果四舍五入到整数"), np.round),
    (
        Text("the running sum of the correct one along the last axis", "正确结果沿最后一个轴的累加和"),
        lambda x: np.cumsum(x, -1),
    ),
    (Text("the sum of the correct one over the last axis", "正确结果沿最后一个轴的和"), lambda x: x.sum(-1)),
    (
        Text("the sum of the correct one over the last axis, which is kept", "正确结果沿最后一个轴的和（保留该轴）"),
        lambda x: x.sum(-1, keepdims=True),
    ),
    (Text("the mean of the correct one over the last axis", "正确结果沿最后一个轴的平均值"), lambda x: x.mean(-1)),
    (
        Text("the mean of the correct one over the second-to-last axis", "正确结果沿倒数第二个轴的平均值"),
        lambda x: x.mean(-2),
    ),
    (
        Text("the sum of the correct one over the second-to-last axis", "正确结果沿倒数第二个轴的和"),
        lambda x: x.sum(-2),
    ),
    (Text("the mean of the correct one", "正确结果的平均值"), lambda x: x.mean()),
    (Text("the sum of the correct one", "正确结果的总和"), lambda x: x.sum()),
    (
        Text(
            "the index of the largest entry of the correct one along the last axis",
            "正确结果沿最后一个轴的最大元素的下标",
        ),
        lambda x: x.argmax(-1),
    ),
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

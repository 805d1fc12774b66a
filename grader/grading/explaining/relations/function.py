"""The result is a function of the correct one: its square, its root, its logarithm and so on.

## What it says

Which function, applied to every number.

## Example

A standard deviation where the variance belongs, or a loss where the perplexity belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.core.tables import table, text_of
from grader.grading.explaining.relations import Pair, has_enough_distinct, near

RANK = 22
_SAYS = Message("Your result is {what}.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The function, if one gives all results."""
    if not has_enough_distinct(pairs) or any(
        pair.expected.dtype.kind == "b" or pair.got.dtype.kind == "b" for pair in pairs
    ):
        return None
    with np.errstate(all="ignore"):
        for row in table(__file__, "function.yaml"):
            function = _OWN.get(row["call"]) or getattr(np, row["call"])
            options = {name: row[name] for name in ("axis", "keepdims") if name in row}
            if all(_is(partial(function, **options), pair) for pair in pairs):
                return _SAYS.fill(what=text_of(row))
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


_OWN: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "complement": lambda x: 1 - x,
    "softmax": _softmax,
}

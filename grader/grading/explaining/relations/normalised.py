"""Each row of the result is a multiple of the correct row, or differs from it by a constant of its own.

## What it says

That the rows have the right directions but the wrong lengths (sums, scales), or are shifted row by row; also for
columns.

## Example

Weights that were normalised before the mask, so that their rows no longer sum to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, axis_name, near

RANK = 60
_TIMES = Message(
    "Along {axis}, your result is the correct one times a factor that differs from slice to slice: the "
    "divisor (a sum, a length, a standard deviation) is wrong."
)
_PLUS = Message(
    "Along {axis}, your result is the correct one plus a constant that differs from slice to slice: what is added "
    "or subtracted (a mean, a bias, a maximum) is wrong."
)
_FEWEST = 3


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Whether slices are multiples, or shifted."""
    if not all(pair.alike and pair.expected.ndim >= 2 and pair.expected.dtype.kind == "f" for pair in pairs):
        return None
    ndim = min(pair.expected.ndim for pair in pairs)
    for said, fitted in ((_TIMES, _scaled), (_PLUS, _moved)):
        for axis in (-1, -2):
            if all(_holds(pair, axis, fitted) for pair in pairs):
                return said.fill(axis=axis_name(ndim, ndim + axis))
    return None


_Fit = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


def _holds(pair: Pair, axis: int, fitted: _Fit) -> bool:
    got = np.moveaxis(pair.got.astype(np.float64), axis, -1)
    expected = np.moveaxis(pair.expected.astype(np.float64), axis, -1)
    if got.shape[-1] < _FEWEST or not (np.isfinite(got).all() and np.isfinite(expected).all()):
        return False
    with np.errstate(all="ignore"):
        there = fitted(got, expected)
    varied = bool(np.ptp(expected, axis=-1).max(initial=0) > 1e-3)
    return varied and bool(np.isfinite(there).all()) and near(there, expected)


def _scaled(got: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """``got`` with each row multiplied so that it is as near as possible to that of ``expected``."""
    total = (got * got).sum(-1, keepdims=True)
    return np.asarray(np.where(total > 0, got * ((got * expected).sum(-1, keepdims=True) / total), got))


def _moved(got: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(got + (expected - got).mean(-1, keepdims=True))

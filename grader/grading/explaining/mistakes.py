"""What typical mistakes return, and whether it is what a learner's code returned.

A mistake is an edited reference; its observations on all checks are its signature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, ArrayType, Mistake, Observation, Raised, Returned

_RTOL, _ATOL = 1e-3, 1e-4


@dataclass(frozen=True, slots=True)
class MistakeSignature:
    """A typical mistake with its observations, in the order of the evidence."""

    mistake: Mistake
    observations: Sequence[tuple[Observation, ...]]


def agree(mine: Sequence[Observation], theirs: Sequence[Observation], array_type: ArrayType, check: str = "") -> bool:
    """Whether the observations of two programs are equal up to rounding and the texts of exceptions.

    The precision of floats counts only for the check ``dtype``, and if no check is named.
    """
    return len(mine) == len(theirs) and all(_agree(a, b, array_type, check) for a, b in zip(mine, theirs, strict=True))


def _agree(mine: Observation, theirs: Observation, array_type: ArrayType, check: str) -> bool:
    match mine, theirs:
        case Returned(a), Returned(b):
            return same(a, b, array_type, any_float=check not in ("", "dtype"))
        case Raised(type=a), Raised(type=b):
            # NumPy and torch raise different types where something does not fit.
            return a == b or (array_type == "numpy" and check != "raises")
    return type(mine) is type(theirs) and not isinstance(mine, (Returned, Raised))


def same(a: Any, b: Any, array_type: ArrayType, any_float: bool = False) -> bool:
    """Whether values are equal: shapes, NaN and infinities exactly, numbers up to rounding, dtypes only in torch."""
    if isinstance(a, Array) and isinstance(b, Array):
        if a.values.shape != b.values.shape:
            return False
        if array_type == "torch" and a.dtype != b.dtype and not (any_float and _are_floats(a, b)):
            return False
        x, y = a.values.astype(np.float64), b.values.astype(np.float64)
        return _close(x, y)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, array_type, any_float) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], array_type, any_float) for key in a)
    if isinstance(a, (int, float, Array)) and isinstance(b, (int, float, Array)):
        mine, theirs = _number(a), _number(b)
        if mine is None or theirs is None:
            return False
        return mine == theirs or (math.isnan(mine) and math.isnan(theirs))
    return type(a) is type(b) and bool(a == b)


def _are_floats(a: Array, b: Array) -> bool:
    return a.values.dtype.kind == b.values.dtype.kind == "f"


def _close(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """``np.allclose`` with equal NaN, which takes three times as long for arrays as small as these."""
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(x - y) <= _ATOL + _RTOL * np.abs(y)
        if near.all() and np.isfinite(y).all():
            return True
        return bool(np.where(np.isfinite(y), near, (x == y) | (np.isnan(x) & np.isnan(y))).all())


def _number(value: Any) -> float | None:
    """A Python number, or an array of one entry, rounded for comparison; not an integer too large for a float."""
    plain = value.values.item() if isinstance(value, Array) and value.values.ndim == 0 else value
    return round(float(plain), 4) if isinstance(plain, (int, float)) and not 1e300 <= abs(plain) < math.inf else None

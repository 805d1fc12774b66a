"""Compares a result with the expected one: kind, shape, finiteness, then values. Shapes are never broadcast."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, Difference, Message, Text

_KINDS = {"b": Message("booleans"), "i": Message("integers"), "u": Message("integers"), "f": Message("floats")}
_DIFFER = Message("the values differ from the expected ones")
_KIND = Message("the result is {got}; expected {expected}")
_STRAY = Message("the result contains {word} where a number is expected")
_NAN, _INF = _STRAY.fill(word="NaN"), _STRAY.fill(word="inf")
_FLOAT_IDS = Message(
    "the result contains floats; expected integers: these are ids, and floats cannot be used as an index"
)
_WRONG = Message("the values are wrong")
_WRONG_SHAPE = Message("the result has the wrong shape")
_WRONG_KIND = Message("the result has the wrong type")
_LENGTH = Message("the length of the result is {got}; expected {expected}")
_WRONG_LENGTH = Message("the result has the wrong length")
_NO_VALUE = Message("the result is None (is a return missing?)")
#: The only sentences for hidden cases. They reveal nothing about the result.
SHARED = (_WRONG, _WRONG_SHAPE, _NAN, _INF, _WRONG_KIND, _WRONG_LENGTH, _NO_VALUE)

#: Larger integers are treated as this one.
_LARGEST = int(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """How a value differs from the expected one: ``text`` for public cases, ``secret`` for hidden ones.

    ``result`` is the number of the one that differs if several are returned, and how many there are.
    """

    kind: str
    text: Text
    secret: Text
    difference: Difference | None = None
    result: tuple[int, int] = (1, 1)


def compare(
    expected: Any, actual: Any, rtol: float = 1e-4, atol: float = 1e-5, *, alone: bool = True
) -> Mismatch | None:
    """None if ``actual`` equals ``expected`` within ``|a − e| ≤ atol + rtol·|e|`` in every entry.

    Expected arrays come from the reference (float64). Only the kind of the dtype of ``actual`` matters: booleans must
    be booleans, numbers may have any width. Integers in an array or a list are ids: they are compared exactly, and
    floats are a mismatch. A single integer, alone or as one of several results (a tuple), is a count, which may be
    computed as a float. A list of numbers may be an array with one axis, and the reverse. ``alone`` is false for an
    entry of a list or dict, but not for one of several results.
    """
    if isinstance(expected, Array):
        return _compare_arrays(expected.values, actual, rtol, atol, alone)
    if isinstance(expected, (list, tuple)):
        if all(isinstance(entry, (bool, int, float)) for entry in expected):
            actual = _entries(actual)
        if not isinstance(actual, (list, tuple)):
            return _wrong_thing(Text(f"{len(expected)} values", f"{len(expected)} 个值"), actual)
        if len(actual) != len(expected):
            return Mismatch("shape", _LENGTH.fill(got=len(actual), expected=len(expected)), _WRONG_LENGTH)
        results = alone and isinstance(expected, tuple)
        for place, (mine, other) in enumerate(zip(expected, actual, strict=True), 1):
            if mismatch := compare(mine, other, rtol, atol, alone=results):
                return replace(mismatch, result=(place, len(expected))) if results else mismatch
        return None
    if isinstance(expected, dict):
        if not isinstance(actual, dict) or actual.keys() != expected.keys():
            return _wrong_thing(describe(expected), actual)
        mismatches = (compare(expected[key], actual[key], rtol, atol, alone=False) for key in expected)
        return next((mismatch for mismatch in mismatches if mismatch), None)
    if isinstance(expected, (bool, int, float)):
        return _compare_arrays(scalar(expected), actual, rtol, atol, alone)
    if type(expected) is not type(actual):
        return _wrong_thing(describe(expected), actual)
    return None if expected == actual else Mismatch("values", _DIFFER, _WRONG)


def _entries(actual: Any) -> Any:
    """The entries of an array with one axis, such as a tensor of ids in place of a list; anything else as it is."""
    if not isinstance(actual, Array) or actual.values.ndim != 1:
        return actual
    return [replace(actual, values=np.asarray(entry)) for entry in actual.values]


def _compare_arrays(expected: NDArray[Any], actual: Any, rtol: float, atol: float, alone: bool) -> Mismatch | None:
    if expected.ndim == 0 and isinstance(actual, (bool, int, float)):
        actual = Array(scalar(actual), "scalar")
    if expected.ndim == 1 and isinstance(actual, list) and all(isinstance(each, (int, float)) for each in actual):
        actual = Array(np.asarray([scalar(each) for each in actual]), "scalar")
    if not isinstance(actual, Array):
        wanted = Message("an array") if expected.ndim else Message("a number")
        return _wrong_thing(wanted, actual)
    got = actual.values
    if got.shape != expected.shape:
        return Mismatch(
            "shape",
            Message("the result has shape {got}; expected {expected}").fill(
                got=_shape(got.shape), expected=_shape(expected.shape)
            ),
            _WRONG_SHAPE,
        )
    if (expected.dtype.kind == "b") != (got.dtype.kind == "b"):
        return _wrong_kind(_KINDS[expected.dtype.kind], _KINDS.get(got.dtype.kind, Message("something else")))
    if expected.dtype.kind in "iu" and not (alone and expected.ndim == 0):
        if got.dtype.kind not in "iu":
            return Mismatch("kind", _FLOAT_IDS, _FLOAT_IDS)
        return _differences(expected, got, expected != got)
    if expected.dtype.kind == "b":
        return _differences(expected, got, expected != got)
    return _numbers(expected, got, rtol, atol)


def _numbers(expected: NDArray[Any], got: NDArray[Any], rtol: float, atol: float) -> Mismatch | None:
    right, mine = expected.astype(np.float64), got.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(mine - right)
        near = distance <= atol + rtol * np.abs(right)
    if near.all() and np.isfinite(distance).all():
        return None  # the usual case; values that are not finite are handled below
    near &= np.isfinite(right)
    near |= (mine == right) | (np.isnan(mine) & np.isnan(right))  # infinities of the same sign, expected NaN
    stray = ~np.isfinite(mine) & np.isfinite(right)
    if not stray.any():
        return _differences(expected, got, ~near)
    kind, text = ("nan", _NAN) if np.isnan(mine[stray]).any() else ("inf", _INF)
    first = _differences(expected, got, stray)
    difference = first.difference if first else None
    return Mismatch(kind, text, text, difference and replace(difference, differing=int((~near).sum())))


def _differences(expected: NDArray[Any], got: NDArray[Any], wrong: NDArray[np.bool_]) -> Mismatch | None:
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    difference = Difference(index, number(expected[index]), number(got[index]), int(wrong.sum()), int(wrong.size))
    return Mismatch("values", _DIFFER, _WRONG, difference)


def _wrong_kind(expected: Text, got: Text) -> Mismatch:
    return Mismatch("kind", _KIND.fill(got=got, expected=expected), _WRONG_KIND)


def _wrong_thing(expected: Text, got: Any) -> Mismatch:
    mismatch = _wrong_kind(expected, describe(got))
    return replace(mismatch, secret=_NO_VALUE) if got is None else mismatch


def scalar(value: bool | int | float) -> NDArray[Any]:
    """A Python number as an array. An integer too large for NumPy (it may have hundreds of digits) becomes a float."""
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        return np.asarray(float(min(max(value, -_LARGEST), _LARGEST)))
    return np.asarray(value)


#: Longer integers are shown as other numbers are.
_LONG = 10**15


def number(value: Any) -> str:
    """One entry as text: an integer as it is, other numbers with at most six significant digits."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)) and abs(int(value)) < _LONG:
        return str(int(value))
    return f"{float(value):.6g}"


def _shape(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def describe(value: Any) -> Text:
    """What kind of value was returned, in words."""
    match value:
        case None:
            return Message("None (is a return missing?)")
        case Array():
            return Text(
                f"an array of shape {_shape(value.values.shape)}", f"形状为 {_shape(value.values.shape)} 的数组"
            )
        case bool() | int() | float():
            return Message("a number")
        case str():
            return Message("a string")
        case tuple() | list():
            word = "tuple" if isinstance(value, tuple) else "list"
            return Text(f"a {word} of {len(value)}", f"含 {len(value)} 个元素的 {word}")
        case dict():
            return Message("a dict")
    return Message("something else")

"""Relations between a wrong result and the correct one, one module each, found by walking this folder.

A relation's module has one of two pure functions:

* ``relate(pairs)``: the message if the relation holds between the results and the correct ones, or None;
* ``others(exercise, drawn)``: other inputs, each with the message to give if the result for the inputs of the case is
  what the reference returns for the other ones.

``RANK`` orders relations that hold together: the smallest is reported. A relation is reported only if it holds
in every public case that fails, and compares enough numbers that it cannot hold by chance.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, Exercise, Message, Text
from grader.grading.inputs import Drawn

#: Results are float32 and expected values float64, so they agree up to this.
_RTOL, _ATOL = 1e-3, 1e-4
#: The rank of the first relation that says less than which term is missing.
AFTER_TERMS = 30
#: Fewer numbers than this could agree by chance.
ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """A wrong result with the correct one, as arrays, and the inputs of the case."""

    case: Text
    got: NDArray[Any]
    expected: NDArray[Any]
    drawn: Drawn

    @property
    def alike(self) -> bool:
        """Whether shapes and kinds of entries agree."""
        return self.got.shape == self.expected.shape and (self.got.dtype.kind == "b") == (
            self.expected.dtype.kind == "b"
        )


class Relation(Protocol):
    """The shape of a relation's module. Each has one of the two functions."""

    RANK: int

    def relate(self, pairs: Sequence[Pair]) -> Text | None:
        """The message if the relation holds for all pairs; else None."""

    def others(self, exercise: Exercise, drawn: Drawn) -> Iterable[tuple[Text, Drawn]]:
        """Other inputs, each with the message if their correct result was returned."""


@functools.cache
def kinds() -> Mapping[str, Relation]:
    """The relations by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: cast("Relation", importlib.import_module(f"{__name__}.{name}")) for name in names})


def near(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays have equal shapes and, up to rounding, equal entries."""
    if a.shape != b.shape or (a.dtype.kind == "b") != (b.dtype.kind == "b"):
        return False
    return bool(equal_entries(a, b).all())


def equal_entries(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """For each entry, whether both arrays (of equal shape) agree up to rounding."""
    return np.isclose(a.astype(np.float64), b.astype(np.float64), rtol=_RTOL, atol=_ATOL, equal_nan=True)


def count_distinct(pairs: Sequence[Pair]) -> int:
    """The number of distinct entries of the correct results, summed over cases; a constant array counts as one."""
    return sum(len(np.unique(np.round(pair.expected.astype(np.float64), 4))) for pair in pairs)


def has_enough_distinct(pairs: Sequence[Pair]) -> bool:
    """Whether the correct results have enough distinct numbers for a relation: three, or one in each of two cases."""
    return count_distinct(pairs) >= (2 if len(pairs) > 1 else 3)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], NDArray[Any]]]:
    """The arrays and numbers in a result, each with its path."""
    match value:
        case Array(values=values):
            yield path, np.asarray(values)
        case bool() | float():
            yield path, np.asarray(value)
        case int() if abs(value) < 1 << 53:
            yield path, np.asarray(value)
        case tuple() | list() if all(type(each) in (bool, int, float) for each in value):
            with_numbers = np.asarray(value)
            if with_numbers.dtype.kind in "bif":
                yield path, with_numbers
        case tuple() | list() if value and all(isinstance(each, Array) and not each.values.ndim for each in value):
            yield path, np.asarray([each.values[()] for each in value])
        case tuple() | list():
            for index, each in enumerate(value):
                yield from leaves(each, (*path, index))
        case dict():
            for key, each in value.items():
                yield from leaves(each, (*path, key))


def array_arguments(drawn: Drawn) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arguments that are arrays with at least one axis, by name."""
    for name, value in drawn.args:
        if isinstance(value, np.ndarray) and value.ndim:
            yield name, value


def rows_without_keys(pair: Pair, rows: NDArray[np.bool_]) -> bool:
    """Whether ``rows`` are exactly those that some mask among the arguments leaves without a key."""
    for _, mask in array_arguments(pair.drawn):
        if mask.dtype != bool or mask.ndim < 2:
            continue
        empty = ~mask.any(axis=-1)
        try:
            if empty.any() and np.array_equal(np.broadcast_to(empty, rows.shape), rows):
                return True
        except ValueError:
            continue  # a mask of another shape
    return False


def number_arguments(drawn: Drawn) -> Iterator[tuple[str, int | float]]:
    """The arguments that are numbers, of the call and of the constructor, by name."""
    for name, value in (*drawn.construct, *drawn.args):
        if type(value) in (int, float):
            yield name, value


def axis_name(ndim: int, axis: int) -> Text:
    """An axis in words: the last one, the one before it, else its number from the front."""
    if axis == ndim - 1:
        return Message("the last axis")
    if axis == ndim - 2:
        return Message("the second-to-last axis")
    return Text(f"axis {axis}", f"第 {axis} 轴（从 0 数起）")

"""Traces of runs with probes, and the values of references that are compared with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, Landmark, Observation, Returned
from grader.grading.compare import compare
from grader.grading.explaining.landmarks import Where

#: The maximum number of runs of a search.
MOST_RERUNS = 400
#: Limits on probes, values of each probe, and entries of all values; beyond them there is no explanation, because every
#: value may have to be compared with every landmark. An honest child returns at most ``MOST_TIMES`` values.
MOST_PROBES = 500
MOST_TIMES = 8
MOST_ENTRIES = 1 << 18
#: Values are equal if they differ by less than this: the submission may work in float32.
_RTOL, _ATOL = 1e-3, 1e-5

#: A whole number has to be this large, or take so many values in the cases that are looked at, or its equality is no
#: evidence: sizes of cases are small.
_LARGE, _FEWEST_NUMBERS = 100, 3

#: The values of an expression, in order of time.
Values: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A decoded trace: the values of each probe by number, in order of time, and the results of substitutions.

    ``result`` and ``again`` are the results of two runs without further substitutions; empty if one raised.
    """

    result: tuple[Any, ...]
    again: tuple[Any, ...]
    order: tuple[int, ...]
    where: Mapping[int, Where]
    values: Mapping[int, Values]
    tried: tuple[tuple[int, int, tuple[Any, ...]], ...]


@dataclass(frozen=True, slots=True)
class ReferenceValue:
    """A value of the reference. ``values`` has a tuple for each case, in order of time, empty if it is not computed.

    ``final`` means that it is the result itself; ``where`` has all places of the reference that compute it.
    """

    values: tuple[Values, ...]
    name: Landmark | None
    final: bool
    where: tuple[Where, ...] = ()

    @property
    def is_by_chance(self) -> bool:
        """Whether it is a small whole number, or a truth value, that hardly changes: many others equal it."""
        numbers = [np.asarray(value) for each in self.values for value in each]
        if any(number.size > 1 or number.dtype.kind == "f" for number in numbers):
            return False
        found = {number.item() for number in numbers if number.size}
        return len(found) < _FEWEST_NUMBERS and all(abs(number) < _LARGE for number in found)


def read_trace(seen: Observation) -> Trace | None:
    """The trace that the child returned; None if it is malformed or too large."""
    match seen:
        case Returned((dict() as found,)):
            pass
        case _:
            return None
    try:
        order = tuple(int(number) for number in found["probes"])
        where = {
            n: (str(p[0]), int(p[1]), int(p[2]), int(p[3]), int(p[4]))
            for n, p in zip(order, found["places"], strict=True)
        }
        values = {n: tuple(map(_plain, each)) for n, each in zip(order, found["values"], strict=True)}
        tried = tuple((int(p), int(mark), tuple(result)) for p, mark, result in found["tried"])
        entries = sum(np.size(value) for each in values.values() for value in each)
        if len(order) > MOST_PROBES or max(map(len, values.values()), default=0) > MOST_TIMES:
            return None
        if len(where) < len(order) or entries > MOST_ENTRIES or len(tried) > MOST_RERUNS:
            return None
        return Trace(tuple(found["result"]), tuple(found["again"]), order, where, values, tried)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None


def _plain(value: Any) -> Any:
    """A value of a probe as an array or a number. Raises ValueError for anything else."""
    if isinstance(value, Array):
        return value.values
    if isinstance(value, (bool, int, float)):
        return value
    raise ValueError("not a number")


def merged(
    traces: Sequence[Trace], names: Mapping[Where, Landmark], expected: Sequence[Any]
) -> tuple[ReferenceValue, ...]:
    """The distinct values that the reference computes. Of equal ones, the first is kept, with the names of all."""
    order = dict.fromkeys(probe for trace in traces for probe in trace.order)
    where = {probe: place for trace in traces for probe, place in trace.where.items()}
    groups: list[list[ReferenceValue]] = []
    for probe in order:
        values = tuple(trace.values.get(probe, ()) for trace in traces)
        final = all(
            not each or (len(each) == 1 and compare(to_array(right), to_array(each[0])) is None)
            for each, right in zip(values, expected, strict=True)
        )
        mark = ReferenceValue(values, names.get(where[probe]), final, (where[probe],))
        equal = next((group for group in groups if _same_values(group[0].values, values)), None)
        if equal is None:
            groups.append([mark])
        else:
            equal.append(mark)
    return tuple(map(_as_one, groups))


def _as_one(equal: Sequence[ReferenceValue]) -> ReferenceValue:
    """Equal values as one. It has the names of all, because nothing tells which of them is meant."""
    names = {mark.name.en: mark.name for mark in equal if mark.name is not None}.values()
    name = next(iter(names), None)
    if name is not None and len(names) > 1:
        en, zh = " or ".join(each.en for each in names), "或".join(each.zh for each in names)
        name = replace(name, en=en, zh=zh, misconception=None)
    return replace(equal[0], name=name, where=tuple(place for mark in equal for place in mark.where))


def to_array(value: Any) -> Any:
    """A NumPy array as ``Array``; other values unchanged."""
    return Array(value) if isinstance(value, np.ndarray) else value


def _same_values(one: tuple[Values, ...], other: tuple[Values, ...]) -> bool:
    return all(
        len(a) == len(b) and all(_identical(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(one, other, strict=True)
    )


def _identical(one: Any, other: Any) -> bool:
    a, b = np.asarray(one), np.asarray(other)
    return (
        a.dtype.kind == b.dtype.kind
        and a.shape == b.shape
        and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    )


def equal_results(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two runs returned equal results, or both nothing."""
    return len(one) == len(other) and all(compare(a, b) is None for a, b in zip(one, other, strict=True))


def intermediate_at(marks: tuple[ReferenceValue, ...], trace: Trace, probe: int, at: int) -> int | None:
    """The index of the intermediate value of the reference that this probe has in case ``at``; None if none."""
    mine = trace.values[probe][-1]
    steps = ((n, each, each.values[at][-1]) for n, each in enumerate(marks) if not each.final and each.values[at])
    told = (
        (n, value) for n, each, value in steps if is_distinctive(value) or not (np.ndim(value) or each.is_by_chance)
    )
    return next((n for n, value in told if same_content(value, mine)), None)


def is_distinctive_in(mark: ReferenceValue, at: int) -> bool:
    """Whether another value is unlikely to be equal to this one in case ``at`` by chance."""
    return any(map(is_distinctive, mark.values[at]))


def is_distinctive(value: Any) -> bool:
    """Whether another value is unlikely to be equal by chance: it has several distinct numbers."""
    array = np.asarray(value)
    return array.size > 1 and array.dtype.kind in "fiu" and np.unique(array[np.isfinite(array)]).size > 1


def same_content(one: Any, other: Any) -> bool:
    """Whether two arrays are equal up to axes of length 1 and the order of the axes."""
    a, b = np.asarray(one, dtype=np.float64).squeeze(), np.asarray(other, dtype=np.float64).squeeze()
    if a.size != b.size or a.ndim != b.ndim:
        return False
    if a.ndim < 2:
        return a.shape == b.shape and _close(a, b)
    if sorted(a.shape) != sorted(b.shape):
        return False
    axes = range(a.ndim)
    turned = [b, *(np.swapaxes(b, i, j) for i in axes for j in axes if i < j)]
    return any(a.shape == each.shape and _close(a, each) for each in turned)


def _close(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return bool(np.allclose(a, b, rtol=_RTOL, atol=_ATOL, equal_nan=True))


def is_computed_after(probe: int, mark: ReferenceValue, traces: Mapping[int, Trace]) -> bool:
    """Whether code computes a value of the reference itself, in some case, after it has passed this probe."""
    for at, trace in traces.items():
        if not mark.values[at] or probe not in trace.order:
            continue
        later = trace.order[trace.order.index(probe) + 1 :]
        value = mark.values[at][-1]
        if is_distinctive(value) and any(same_content(value, each) for n in later for each in trace.values[n]):
            return True
    return False


def has_entries_of(value: Any, trace: Trace) -> bool:
    """Whether some probe has these entries, in whatever order and shape."""
    mine = np.sort(np.ravel(value))
    others = (np.ravel(each) for values in trace.values.values() for each in values if np.size(each) == mine.size)
    return any(_close(mine, np.sort(each)) for each in others)


def first_with(value: Any, trace: Trace) -> int | None:
    """The first probe that ever has this value; None if none has."""
    return next((n for n in trace.order if any(same_content(value, each) for each in trace.values[n])), None)

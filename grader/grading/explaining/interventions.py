"""Changes of a case's inputs that take a tag away or give it, with everything else left as it is.

That wrong cases have a tag and correct ones do not may be chance. If code becomes correct when the tag is taken away,
or wrong when it is given, it is not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.grading.explaining.case_tags import Tag, tags
from grader.grading.explaining.relations import array_arguments
from grader.grading.inputs import Drawn

_Array = NDArray[Any]


def toggled(tag: Tag, drawn: Drawn, others: Iterable[Drawn] = ()) -> Drawn | None:
    """The inputs ``drawn`` with ``tag`` if they lack it, without it if they have it; None if nobody knows how.

    An argument that is not given is taken from one of the ``others``.
    """
    kind, about = tag
    names = about.split(", ")
    having = tag in set(tags(drawn))
    if kind == "given":
        changed = drawn.only(lambda name: name != about) if having else _with(drawn, about, others)
    elif not {name for name, _ in (*drawn.construct, *drawn.args)}.issuperset(names):
        return None
    elif kind in _NUMBERS:
        changed = _each(drawn, about, lambda value: _number(kind, about, value, drawn))
    elif kind in _ARRAYS:
        changed = _each(drawn, about, _ARRAYS[kind])
    elif kind in _SAMPLES:
        changed = _all(drawn, functools.partial(_SAMPLES[kind], len(drawn.value(about))))
    else:
        changed = _resized(kind, having, drawn, [array for name, array in array_arguments(drawn) if name in names])
    return changed if changed is not None and (tag in set(tags(changed))) is not having else None


def _with(drawn: Drawn, name: str, others: Iterable[Drawn]) -> Drawn | None:
    for other in others:
        for kind, given in (("args", other.args), ("construct", other.construct)):
            if (value := dict(given).get(name)) is not None:
                without = drawn.only(lambda each: each != name)
                return replace(without, **{kind: (*getattr(without, kind), (name, value))})
    return None


def _each(drawn: Drawn, name: str, change: Callable[[Any], Any]) -> Drawn | None:
    """``drawn`` with the argument ``name`` changed; None if ``change`` returns None."""
    value = dict((*drawn.construct, *drawn.args)).get(name)
    new = None if value is None else change(value)
    if new is None:
        return None
    construct = tuple((each, new if each == name else given) for each, given in drawn.construct)
    return replace(drawn.changed(**{name: new}), construct=construct)


_NUMBERS = frozenset({"true", "zero", "negative", "one", "odd", "fraction", "many"})


def _number(kind: str, name: str, value: Any, drawn: Drawn) -> Any:
    """Another number, or truth value, for which the tag ``kind`` changes."""
    if kind == "true":
        return not value
    if kind == "negative" and name in ("axis", "dim"):  # the same axis, counted from the other end
        axes = max((array.ndim for _, array in array_arguments(drawn)), default=0)
        return value + axes if value < 0 else value - axes
    changed = {
        "zero": 1 if value == 0 else 0,
        "negative": -value,
        "one": 2 if value == 1 else 1,
        "odd": value + 1,
        "fraction": round(value) if value != int(value) else value + 0.5,
        "many": value % 8 or 8 if value > 8 else value + 8,
    }[kind]
    return type(value)(changed)


def _negated(array: _Array) -> _Array:
    """Without negative entries, or every second one negated."""
    signs = np.where(np.arange(array.size).reshape(array.shape) % 2, -1, 1)
    return np.abs(array) if (array < 0).any() else (array * signs).astype(array.dtype)


def _with_zero(array: _Array) -> _Array:
    if (array == 0).any():
        return np.where(array == 0, max(1, int(array.max(initial=1))), array).astype(array.dtype)
    return _at_start(array, 0)


def _repeated(array: _Array) -> _Array | None:
    """With an entry twice, or with different ones, none of which is larger than before."""
    if array.size < 2:
        return None
    if len(np.unique(array)) == array.size:
        return _at_start(array, array.flat[1])
    different = np.arange(array.size) + min(0, int(array.max()) + 1 - array.size)
    return different.reshape(array.shape).astype(array.dtype) if different[0] >= 0 else None


def _at_start(array: _Array, value: Any) -> _Array:
    changed = array.copy()
    changed.flat[:1] = value
    return changed


def _scaled(array: _Array) -> _Array:
    largest = np.abs(array).max(initial=0)
    return (array / largest if largest > 50 else array * (1e4 / max(float(largest), 1e-3))).astype(array.dtype)


def _shifted(array: _Array) -> _Array:
    """With its mean at 0, or far from it."""
    mean, spread = array.mean(), max(float(array.std()), 1e-3)
    return (array - mean if abs(mean) > 10 * spread else array + 100 * spread).astype(array.dtype)


def _constant(array: _Array) -> _Array:
    if np.ptp(array):
        return np.full_like(array, array.flat[0])
    return (array + np.arange(array.size).reshape(array.shape)).astype(array.dtype)


def _emptied(mask: _Array) -> _Array | None:
    """With a key for every query, or with a query that has none."""
    if mask.ndim < 2 or not mask.size:
        return None
    changed = mask.copy()
    empty = ~changed.any(axis=-1)
    if empty.any():
        changed[empty, 0] = True
    else:
        changed[..., 0, :] = False
    return changed


def _per_sample(mask: _Array) -> _Array | None:
    """The mask of the first sample for all, or another one for each."""
    if not len(mask):
        return None
    if (mask == mask[:1]).all():
        return np.stack([np.roll(each, number, axis=-1) for number, each in enumerate(mask)])
    return np.broadcast_to(mask[:1], mask.shape).copy()


def _asymmetric(mask: _Array) -> _Array | None:
    if mask.ndim < 2 or mask.shape[-1] != mask.shape[-2]:
        return None
    turned = mask.swapaxes(-1, -2)
    return np.asarray(mask | turned) if not np.array_equal(mask, turned) else np.tril(mask)


_ARRAYS: dict[str, Callable[[_Array], _Array | None]] = {
    "holds-negative": _negated,
    "holds-zero": _with_zero,
    "repeated": _repeated,
    "large": _scaled,
    "offset": _shifted,
    "constant": _constant,
    "empty-rows": _emptied,
    "different-per-sample": _per_sample,
    "asymmetric": _asymmetric,
}


def _has_samples(count: int, array: _Array) -> bool:
    """Whether the first axis is that of ``count`` samples. Floats with two axes are rows, or weights."""
    return array.ndim >= (3 if array.dtype.kind == "f" else 2) and len(array) == count


def _several(count: int, array: _Array) -> _Array:
    """With one sample, or with a second one."""
    if not _has_samples(count, array):
        return array
    return array[:1] if count > 1 else np.concatenate([array, np.flip(array, axis=-2)])


def _without_samples(count: int, array: _Array) -> _Array:
    return array[0] if _has_samples(count, array) else array


_SAMPLES: dict[str, Callable[[int, _Array], _Array]] = {
    "several-samples": _several, "no-samples": _without_samples, "one-axis": _without_samples,
    "three-axes": _without_samples, "many-axes": _without_samples,
}  # fmt: skip


def _resized(kind: str, having: bool, drawn: Drawn, about: list[_Array]) -> Drawn | None:
    """``drawn`` with other sizes, in every array that shares them; entries are left out or repeated."""
    if not about:
        return None
    first, second = about[0], about[-1]
    rows, width = first.shape[-2:] if first.ndim > 1 else (0, first.shape[-1])
    other_rows, other_width = second.shape[-2:] if second.ndim > 1 else (0, second.shape[-1])
    new: dict[str, dict[int, int]] = {
        "unequal-lengths": {other_rows: rows},
        "first-longer": {rows: other_rows, other_rows: rows},
        "first-shorter": {rows: other_rows, other_rows: rows},
        "unequal-widths": {other_width: width},
        "square": {width: width + 2} if having else {width: rows},
        "one-row": {1: 3} if having else {rows: 1},
        "odd-width": {width: width + 1},
        "odd-rows": {rows: rows + 1},
        "long": {rows: 8} if having else {rows: rows + 17},
    }
    sizes = new.get(kind)
    if sizes is None or 0 in sizes:
        return None
    return _all(drawn, functools.partial(_fitted, sizes))


def _all(drawn: Drawn, change: Callable[[_Array], _Array]) -> Drawn:
    """``drawn`` with every array changed."""

    def changed(given: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
        return tuple((name, change(value) if isinstance(value, np.ndarray) else value) for name, value in given)

    return replace(
        drawn, args=changed(drawn.args), construct=changed(drawn.construct), parameters=changed(drawn.parameters)
    )


def _fitted(sizes: Mapping[int, int], array: _Array) -> _Array:
    for axis, size in enumerate(array.shape):
        if size in sizes:
            array = np.take(array, np.arange(sizes[size]) % size, axis=axis)
    return array

"""A term or a factor that a result has too much or too little: a landmark, or the product of two values with names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, array_arguments, has_enough_distinct, near

_PLUS = Message("Your result is the correct one plus this term: {what}.")
_MINUS = Message("Your result is the correct one minus this term: {what}.")
_TIMES = Message("Your result is the correct one times this factor: {what}.")
_DIVIDED = Message("Your result is the correct one divided by this factor: {what}.")
_PRODUCT = Message("{one} times {other}")
#: The maximum number of terms that are compared, single ones first.
_MOST = 400

_Array: TypeAlias = NDArray[Any]
#: Whether a result could come from the correct one by adding, subtracting, multiplying or dividing by a term.
_Test: TypeAlias = Callable[[_Array, _Array, _Array], bool]


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value that has a name, in each of some cases."""

    name: Text
    values: tuple[_Array, ...]


def find(pairs: Sequence[Pair], landmarks: Sequence[NamedValue]) -> Text | None:
    """The message about the first term that explains all ``pairs``, for which ``landmarks`` has values."""
    if not all(pair.alike and pair.expected.dtype.kind == "f" for pair in pairs) or not has_enough_distinct(pairs):
        return None
    with np.errstate(all="ignore"):
        for term in itertools.islice(_terms(landmarks, _arguments(pairs)), _MOST):
            for said, test in _WAYS:
                if all(test(pair.got, pair.expected, value) for pair, value in zip(pairs, term.values, strict=True)):
                    return said.fill(what=term.name)
    return None


def _arguments(pairs: Sequence[Pair]) -> list[NamedValue]:
    given = [dict(array_arguments(pair.drawn)) for pair in pairs]
    shared = [name for name in given[0] if all(name in each and each[name].dtype.kind == "f" for each in given)]
    return [NamedValue(Text(f"`{name}`", f" `{name}` "), tuple(each[name] for each in given)) for name in shared]


def _terms(landmarks: Sequence[NamedValue], arguments: Iterable[NamedValue]) -> Iterator[NamedValue]:
    """The landmarks, then the products of a landmark with another one or with an argument."""
    yield from landmarks
    pairs = itertools.chain(itertools.combinations(landmarks, 2), itertools.product(landmarks, arguments))
    for one, other in pairs:
        both = list(zip(one.values, other.values, strict=True))
        if all(_fit(a, b) for a, b in both):
            yield NamedValue(_PRODUCT.fill(one=one.name, other=other.name), tuple(a * b for a, b in both))


def _fit(one: _Array, other: _Array) -> bool:
    """Whether both can be multiplied entry by entry, as far as their shapes say."""
    sizes = zip(reversed(one.shape), reversed(other.shape), strict=False)
    return all(a == b or 1 in (a, b) for a, b in sizes)


def _is_added(got: _Array, expected: _Array, term: _Array) -> bool:
    return term.shape == expected.shape and _varies(term) and near(got - expected, term)


def _is_multiplied(got: _Array, expected: _Array, term: _Array) -> bool:
    fits = term.ndim <= expected.ndim and _fit(term, expected) and (expected * term).shape == expected.shape
    return fits and _varies(term) and near(got, expected * term)


def _varies(term: _Array) -> bool:
    """Whether other values are unlikely to be equal to these: they are not all the same."""
    return term.dtype.kind == "f" and bool(np.isfinite(term).all()) and np.unique(np.round(term, 3)).size > 1


_WAYS: tuple[tuple[Text, _Test], ...] = (
    (_MINUS, lambda got, expected, term: _is_added(expected, got, term)),
    (_PLUS, _is_added),
    (_DIVIDED, lambda got, expected, term: got.shape == expected.shape and _is_multiplied(expected, got, term)),
    (_TIMES, _is_multiplied),
)

"""Helpers for checks of properties: calls on altered inputs, with results as float64 arrays.

Such checks have no expected result; they know how the results for different inputs must be related.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.core.errors import CourseError
from grader.core.model import Array, Case, CheckSpec, Message, Observation, Program
from grader.grading.checks import Failed, sent
from grader.grading.compare import describe, scalar
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

Floats: TypeAlias = NDArray[np.float64]

#: Arguments whose rows are positions, by their names in the contract.
_SEQUENCES = ("x", "q", "k", "v", "query", "key", "value")

_NO_ARRAY = Message("the result is {got}; expected an array of numbers")
_NOT_FINITE = Message("the result contains NaN or inf")
_EMPTY = Message("the result is an empty array")
_LARGE = Message("the result has {count} numbers, far too many")
_SHAPE = Message("the result has shape {got}; expected {expected}")
_SECRET_SHAPE = Message("the result has the wrong shape")
_NOT_FLOATS = Message(
    "{exercise}, check {check}, {option}: found {found}; expected an array of floats of its own: {known}"
)
_SECRET_KIND = Message("the result is not an array of numbers")
#: The maximum number of entries of one result. Each byte received may take eight here, in several copies.
MOST_NUMBERS = 1 << 20
#: The sentences of ``results`` and ``require_shape`` for hidden cases.
SHARED = (_EMPTY, _NOT_FINITE, _SECRET_SHAPE, _SECRET_KIND)


def one_call(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call with the inputs as they are: all that many checks need."""
    return (program(target, drawn),)


def program(target: Target, *inputs: Drawn) -> Program:
    """One call for each of ``inputs``, all on one instance where the exercise is a class."""
    writer = Writer.to(target)
    instance, _ = writer.instance(inputs[0])
    return writer.program(*[writer.call(drawn, instance=instance).output for drawn in inputs])


def alike_results(got: tuple[Observation, ...], case: Case, least: int) -> tuple[Floats, ...]:
    """Like ``results``; all of them need to have the shape of the first."""
    arrays = results(got, case, least)
    require_shape(arrays, arrays[0].shape, case.public)
    return arrays


def results(got: tuple[Observation, ...], case: Case, least: int) -> tuple[Floats, ...]:
    """The returned values (``least`` or more) as finite float64 arrays. Raises ``Failed`` for what is not one.

    Raises ValueError if there are fewer values, which is an error in the check.
    """
    arrays = []
    for values in sent(got):
        for value in values:
            plain = value.values if isinstance(value, Array) else scalar(value) if _is_number(value) else None
            if plain is None or plain.dtype.kind not in "iuf":
                raise Failed(_NO_ARRAY.fill(got=describe(value)) if case.public else _SECRET_KIND)
            if not plain.size:  # its other axes may be so long that loops over them would not end
                raise Failed(_EMPTY)
            if plain.size > MOST_NUMBERS:
                raise Failed(_LARGE.fill(count=plain.size) if case.public else _SECRET_SHAPE)
            if not np.isfinite(plain).all():
                raise Failed(_NOT_FINITE)
            arrays.append(plain.astype(np.float64))
    if len(arrays) < least:
        raise ValueError(f"the check asks for {least} values, not {len(arrays)}")
    return tuple(arrays)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_mask(value: object) -> bool:
    """Whether ``value`` is a boolean array with at least the axes of queries and keys."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "b" and value.ndim >= 2


def has_axis(array: NDArray[Any], axis: int) -> bool:
    """Whether ``array`` has this axis, counted from either end."""
    return -array.ndim <= axis < array.ndim


def require_shape(found: Iterable[Floats], expected: tuple[int, ...], public: bool) -> None:
    """Raises ``Failed`` for the first array of another shape; for a hidden case without sizes."""
    for array in found:
        if array.shape != expected:
            raise Failed(_SHAPE.fill(got=array.shape, expected=expected) if public else _SECRET_SHAPE)


def argument_names(spec: CheckSpec, option: str, chosen: Any, drawn: Drawn, exercise: str) -> tuple[str, ...]:
    """The arguments that ``option`` names (one name or several). Raises CourseError unless all are float arrays."""
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    given = [name for name, value in drawn.args if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
    for name in names:
        if name not in given:
            places = {"exercise": exercise, "check": spec.kind, "option": option}
            raise CourseError(_NOT_FLOATS.fill(**places, found=repr(name), known=", ".join(given) or "–"))
    return names


def sequences(drawn: Drawn) -> tuple[str, ...]:
    """The arguments of ``drawn`` that are arrays and, by their names, sequences of positions."""
    return tuple(name for name, value in drawn.args if name in _SEQUENCES and isinstance(value, np.ndarray))


def random_like(like: NDArray[Any], number: int, scale: float = 1.0) -> Floats:
    """Random numbers with the shape and about the size of ``like``; ``number`` is the seed."""
    size = float(np.sqrt(np.mean(np.square(like)))) or 1.0
    return np.random.Generator(np.random.PCG64(number)).standard_normal(like.shape) * size * scale


def near(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Where two arrays of the same shape agree, relative to the largest entry of both."""
    largest = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return np.asarray(np.abs(a - b) <= 1e-5 + 1e-4 * largest)

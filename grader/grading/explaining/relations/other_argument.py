"""The result is correct for other arguments: one ignored, two swapped, a number off by one.

## What it says

Which argument, and which value of it would give this result.

## Example

`k` used instead of `v`, or a shift that counts from 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Exercise, Message, Same, Text
from grader.core.tables import table, text_of
from grader.grading.explaining.relations import array_arguments
from grader.grading.inputs import Drawn

RANK = 2
_DEFAULT = Message("Your result is exactly what you would get without `{name}`: it seems to be ignored.")
_EXCHANGED = Message("Your result is exactly what you would get if `{one}` and `{two}` were swapped.")
_INSTEAD = Message("Your result is exactly what you would get with `{one}` in place of `{two}`.")
_NUMBER = Message("Your result is exactly what you would get if `{name}` were {what}.")
_CHANGED = Message("Your result is exactly what you would get for {what}.")
_MOST = 48


def others(exercise: Exercise, drawn: Drawn) -> Iterator[tuple[Text, Drawn]]:
    """Other inputs for every argument; at most ``_MOST`` of those that leave out or exchange arguments."""
    yield from itertools.islice(itertools.chain(_left_out(exercise, drawn), _switched(drawn), _numbers(drawn)), _MOST)
    for name, array in array_arguments(drawn):
        for what, other in (*_arrays(name, array), *_rescaled(name, array, drawn)):
            yield _CHANGED.fill(what=what), drawn.changed(**{name: other})


def _phrase(what: str, **names: str) -> Text:
    """What an array is instead."""
    return text_of(table(__file__, "other_argument.yaml")["arrays"][what]).fill(**names)


def _left_out(exercise: Exercise, drawn: Drawn) -> Iterator[tuple[Text, Drawn]]:
    repeated = {value.name for _, value in drawn.args if isinstance(value, Same)}
    args = {each.name for each in exercise.takes if not each.required} - repeated
    construct = {each.name for each in exercise.parameters if not each.required}
    for kind, optional in (("args", args), ("construct", construct)):
        given = getattr(drawn, kind)
        for name, value in given:
            if name in optional and value is not None:
                rest = tuple(each for each in given if each[0] != name)
                yield _DEFAULT.fill(name=name), replace(drawn, **{kind: rest})


def _switched(drawn: Drawn) -> Iterator[tuple[Text, Drawn]]:
    values = dict(drawn.args)
    for one, two in itertools.combinations(values, 2):
        if _compatible(values[one], values[two]):
            yield _EXCHANGED.fill(one=one, two=two), drawn.changed(**{one: values[two], two: values[one]})
            yield _INSTEAD.fill(one=one, two=two), drawn.changed(**{two: values[one]})
            yield _INSTEAD.fill(one=two, two=one), drawn.changed(**{one: values[two]})
    weights = dict(drawn.parameters)
    for one, two in itertools.combinations(weights, 2):
        if _compatible(weights[one], weights[two]):
            changed = weights | {one: weights[two], two: weights[one]}
            yield _EXCHANGED.fill(one=one, two=two), replace(drawn, parameters=tuple(changed.items()))


def _compatible(one: object, two: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        same = one.shape == two.shape and np.array_equal(one, two)
        return one.dtype == two.dtype and one.ndim == two.ndim and not same
    return type(one) is type(two) and type(one) in (int, float, bool) and one != two


def _numbers(drawn: Drawn) -> Iterator[tuple[Text, Drawn]]:
    for name, value in drawn.args:
        if type(value) not in (int, float):
            continue
        for row in table(__file__, "other_argument.yaml")["numbers"]:
            other = type(value)(value * row["times"] + row["plus"])
            if other != value:
                yield _NUMBER.fill(name=name, what=text_of(row)), drawn.changed(**{name: other})
    for name, value in drawn.construct:
        if type(value) is bool:
            changed = {**dict(drawn.construct), name: not value}
            what = Text(str(not value), f"为 {not value} ")
            yield _NUMBER.fill(name=name, what=what), replace(drawn, construct=tuple(changed.items()))


def _arrays(name: str, array: NDArray[np.generic]) -> Iterator[tuple[Text, NDArray[np.generic]]]:
    if array.dtype == bool:
        return
    size, axis = array.shape[0], array.ndim - 1
    if size > 1:
        first = np.ascontiguousarray(np.broadcast_to(array[:1], array.shape))
        yield _phrase("first", name=name), first
        yield _phrase("reversed", name=name), np.ascontiguousarray(array[::-1])
    if array.ndim >= 2 and array.shape[-1] == array.shape[-2]:
        yield _phrase("transposed", name=name), np.ascontiguousarray(array.swapaxes(-1, -2))
    if array.ndim >= 2 and array.shape[-2] > 1:
        yield _phrase("last-reversed", name=name), np.ascontiguousarray(np.flip(array, axis - 1))
        yield _phrase("later", name=name), np.roll(array, 1, axis - 1)
        yield _phrase("earlier", name=name), np.roll(array, -1, axis - 1)
    if array.dtype.kind == "f":
        yield _phrase("zeros", name=name), np.zeros_like(array)
        yield _phrase("ones", name=name), np.ones_like(array)
        yield _phrase("opposite", name=name), np.negative(array)
        yield _phrase("absolute", name=name), np.abs(array)
        root = np.sqrt(np.float32(array.shape[-1]))
        yield _phrase("times", name=name), (array * root).astype(array.dtype)
        yield _phrase("divided", name=name), (array / root).astype(array.dtype)
        yield _phrase("squared", name=name), (array / root / root).astype(array.dtype)


def _rescaled(name: str, array: NDArray[np.generic], drawn: Drawn) -> Iterator[tuple[Text, NDArray[np.generic]]]:
    """``array`` rescaled as if √n of another size had been used instead of √n of its last axis."""
    if array.dtype.kind != "f" or array.ndim < 2:
        return
    size = array.shape[-1]
    for other, one in array_arguments(drawn):
        if one.shape[-1] not in (size, 0):
            text = _phrase("rescaled", name=name, other=f"{other}.shape[-1]", size=f"{name}.shape[-1]")
            yield text, (array * np.sqrt(size / one.shape[-1])).astype(array.dtype)

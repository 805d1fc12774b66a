"""The result is correct for another mask: the inverted one, none at all, the transposed one, that of the first sample.

## What it says

Which mask would give this result.

## Example

A mask in which True is taken to mean "hidden".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Exercise, Message, Text
from grader.grading.explaining.relations import array_arguments
from grader.grading.inputs import Drawn

RANK = 1
_IGNORED = Message("Your result is exactly what you would get if `{name}` hid nothing.")
_TRANSPOSED = Message("Your result is exactly what you would get for the transposed `{name}`.")
_FIRST = Message("Your result is exactly what you would get if all samples used the `{name}` of the first one.")
_REVERSED = Message("Your result is exactly what you would get for `{name}` with its samples in reverse order.")
_NOTHING = Message("Your result is exactly what you would get if `{name}` hid everything.")
_CAUSAL = Message(
    "Your result is exactly what you would get if the keys after each query were hidden as well, as by a causal mask."
)


def others(exercise: Exercise, drawn: Drawn) -> Iterator[tuple[Text, Drawn]]:
    """The masks, instead of each argument of booleans; and a causal mask where none is given."""
    for name, mask in array_arguments(drawn):
        if mask.dtype != bool:
            continue
        for said, other in _masks(mask):
            if not np.array_equal(other, mask):
                yield said.fill(name=name), drawn.changed(**{name: np.ascontiguousarray(other)})
    yield from _causal(exercise, drawn)


def _causal(exercise: Exercise, drawn: Drawn) -> Iterator[tuple[Text, Drawn]]:
    """With a causal mask besides the one that is given, if there is one."""
    rows = [array.shape[-2] for _, array in array_arguments(drawn) if array.ndim >= 2 and array.dtype.kind == "f"][:2]
    given = dict(drawn.args)
    for name in [each.name for each in exercise.takes if each.name.endswith("mask")] if rows else ():
        mask, causal = given.get(name), np.tril(np.ones((rows[0], rows[-1]), dtype=bool), rows[-1] - rows[0])
        if isinstance(mask, np.ndarray):
            if mask.dtype != bool or mask.ndim < 2 or mask.shape[-1] != rows[-1] or mask.shape[-2] not in (1, rows[0]):
                continue
            causal = mask & causal
        elif mask is not None:
            continue
        args = tuple((other, value) for other, value in drawn.args if other != name)
        yield _CAUSAL.fill(name=name), replace(drawn, args=(*args, (name, causal)))


def _masks(mask: NDArray[np.bool_]) -> Iterator[tuple[Text, NDArray[np.bool_]]]:
    yield _IGNORED, np.ones_like(mask)
    yield Message("Your result is exactly what you would get if True and False were swapped in `{name}`."), ~mask
    if mask.ndim >= 2:
        if mask.shape[-1] == mask.shape[-2]:
            yield _TRANSPOSED, mask.swapaxes(-1, -2)
        if mask.shape[0] > 1:
            yield _FIRST, np.broadcast_to(mask[:1], mask.shape)
            yield _REVERSED, mask[::-1]
    yield _NOTHING, np.zeros_like(mask)

"""An argument was added to the result, subtracted from it, or left out of it.

## What it says

What has to be added to the correct result to get this one: an argument, twice an argument, its opposite.

## Example

A residual connection that was forgotten, or one that was added twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import ENOUGH, Pair, array_arguments, count_distinct, near

RANK = 24
_PLUS = Message("Your result is the correct one plus {what}.")
_MINUS = Message("Your result is the correct one minus {what}.")
_OPPOSITE = Message("Your result is {what} minus the correct one.")
_SAME = Message("Your result is {what} itself.")
_WAYS: tuple[tuple[Text, float, float, str], ...] = (
    (_SAME, 0, 1, "`{name}`"),
    (_PLUS, 1, 1, "`{name}`"),
    (_MINUS, 1, -1, "`{name}`"),
    (_PLUS, 1, 2, "2·`{name}`"),
    (_MINUS, 1, -2, "2·`{name}`"),
    (_PLUS, 1, 0.5, "`{name}`/2"),
    (_MINUS, 1, -0.5, "`{name}`/2"),
    (_OPPOSITE, -1, 1, "`{name}`"),
    (_OPPOSITE, -1, 2, "2·`{name}`"),
)


def relate(pairs: Sequence[Pair]) -> Text | None:
    """What was added, if the result is the correct one plus some multiple of an argument."""
    numeric = all(pair.alike and pair.expected.dtype.kind in "if" for pair in pairs)
    if not numeric or count_distinct(pairs) < ENOUGH:
        return None
    given = [dict(array_arguments(pair.drawn)) for pair in pairs]
    for name in given[0]:
        for said, times, plus, what in _WAYS:
            if all(_holds(pair, each.get(name), times, plus) for pair, each in zip(pairs, given, strict=True)):
                return said.fill(what=what.format(name=name))
    return None


def _holds(pair: Pair, argument: object, times: float, plus: float) -> bool:
    if not isinstance(argument, np.ndarray) or argument.dtype.kind == "b" or argument.shape != pair.expected.shape:
        return False
    return near(pair.got.astype(np.float64), times * pair.expected + plus * argument.astype(np.float64))

"""Messages about the place where code goes wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grader.core.model import Array, Diagnosis, Landmark, Message, Text
from grader.core.text import EMPTY
from grader.grading.compare import number
from grader.grading.explaining.traces import Values

#: Numbers below it block a key as −∞ does, so that another difference matters more.
_BLOCKING = -1e3

NEXT_STEP = Message(
    "In this case, the value at line {line} is correct: {there}. What could come next is {absent}; no expression in "
    "your code has that value. Check how it goes on from there."
)
_REPAIRS_ALL = Message(" With the correct value there, the public cases with wrong values would be right.")
_REPAIR_ALL = Message(
    " With the correct values in all these places, the public cases with wrong values would be right."
)
CHANGED_AFTER = Message("This is already the correct result. What follows changes it.")
_SHAPES = Message(" Its shape is {mine} and should be {right}.")
_ENTRY = Message(" Entry {index} is {mine} and should be {right}.")
_NUMBER = Message(" It is {mine} and should be {right}.")
_AFTER = Message("This is correct so far{what}. Still missing after it: {name}.")
_STEP = Message(": {name}")


def missing_after(name: Landmark, step: Landmark | None) -> Text:
    """The message that a value is missing after an expression that is correct so far."""
    what = EMPTY if step is None else _STEP.fill(name=Text(step.en, step.zh))
    return _AFTER.fill(what=what, name=Text(name.en, name.zh))


def sentence(name: Landmark, difference: Text) -> Text:
    """The message that another value belongs at a place, with the first difference."""
    return Message("This should be {name}.{more}").fill(name=Text(name.en, name.zh), more=difference)


def repairing(last: Diagnosis, places: int) -> Diagnosis:
    """The diagnosis of the last of several ``places``, with the message that they repair the public cases."""
    more = _REPAIRS_ALL if places == 1 else _REPAIR_ALL
    return replace(last, text=Text(last.text.en + more.en, last.text.zh + more.zh), repairs=True)


def first_difference(right: Values, mine: Values, results: tuple[Any, ...] = ()) -> Text:
    """The message about the first difference between the values at a place and the correct ones; may be empty.

    Where the ``results``, correct and observed, have the same shape, it is one at which they differ, too, if any is.
    """
    pairs = zip(mine, right * len(mine) if len(right) == 1 else right, strict=False)
    return next((text for text in (_difference(*pair, results) for pair in pairs) if text is not EMPTY), EMPTY)


def _difference(mine: Any, right: Any, results: tuple[Any, ...]) -> Text:
    a, b = np.asarray(mine), np.asarray(right)
    if a.shape != b.shape:
        return _SHAPES.fill(mine=tuple(a.shape), right=tuple(b.shape))
    wrong = _differ(a, b)
    if not wrong.any():
        return EMPTY
    if not a.ndim:
        return _NUMBER.fill(mine=number(a[()]), right=number(b[()]))
    blocked = np.isneginf(b.astype(float)) & (a.astype(float) < _BLOCKING)
    arrays = [each.values for each in results if isinstance(each, Array) and each.values.shape == a.shape]
    telling = _differ(*arrays) if len(arrays) == 2 else wrong  # code that raises has no result
    shown = next(each for each in (wrong & telling & ~blocked, wrong & ~blocked, wrong) if each.any())
    index = tuple(int(i) for i in np.argwhere(shown)[0])
    return _ENTRY.fill(index=list(index), mine=number(a[index]), right=number(b[index]))


def _differ(one: Any, other: Any) -> Any:
    return ~np.isclose(one.astype(float), other.astype(float), rtol=1e-4, atol=1e-6, equal_nan=True)

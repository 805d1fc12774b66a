"""An argument was added to the result, subtracted from it, or left out of it.

## What it says

What has to be added to the correct result to get this one: an argument, twice an argument, its opposite.

## Example

A residual connection that was forgotten, or one that was added twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Text
from grader.core.tables import table, text_of
from grader.grading.explaining.relations import ENOUGH, Pair, array_arguments, count_distinct, near

RANK = 24


def relate(pairs: Sequence[Pair]) -> Text | None:
    """What was added, if the result is the correct one plus some multiple of an argument."""
    numeric = all(pair.alike and pair.expected.dtype.kind in "if" for pair in pairs)
    if not numeric or count_distinct(pairs) < ENOUGH:
        return None
    given = [dict(array_arguments(pair.drawn)) for pair in pairs]
    known = table(__file__, "with_argument.yaml")
    for name in given[0]:
        for way in known["ways"]:
            both = zip(pairs, given, strict=True)
            if all(_holds(pair, each.get(name), way["times"], way["plus"]) for pair, each in both):
                return text_of(known["said"][way["said"]]).fill(what=way["what"].format(name=name))
    return None


def _holds(pair: Pair, argument: object, times: float, plus: float) -> bool:
    if not isinstance(argument, np.ndarray) or argument.dtype.kind == "b" or argument.shape != pair.expected.shape:
        return False
    return near(pair.got.astype(np.float64), times * pair.expected + plus * argument.astype(np.float64))

"""Which entries are correct is decided by an argument of the same shape, entry by entry.

## What it says

For which values of the argument the entries of the result are correct: where it is True, where it is 0, where it is
negative and so on. All others are wrong.

## Example

Labels that are correct wherever the mask is False and wrong wherever it is True.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Message, Text
from grader.core.tables import table, text_of
from grader.grading.explaining.relations import ENOUGH, Pair, array_arguments, equal_entries

RANK = 42
_SAYS = Message("Your result is correct exactly where `{name}` is {what}, and wrong everywhere else.")
#: The minimum number of correct entries, and of wrong ones.
_FEWEST = 2


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Where the result is correct."""
    if not all(pair.alike and pair.expected.ndim for pair in pairs):
        return None
    right = [equal_entries(pair.got, pair.expected) for pair in pairs]
    correct, size = sum(int(each.sum()) for each in right), sum(each.size for each in right)
    # A single case with zeros, of several, may have them for another reason.
    if size < ENOUGH or min(correct, size - correct) < _FEWEST or sum(map(np.any, right)) < min(2, len(right)):
        return None
    given = [dict(array_arguments(pair.drawn)) for pair in pairs]
    for name, first in given[0].items():
        for row in table(__file__, "by_argument.yaml")["bits" if first.dtype.kind == "b" else "numbers"]:
            if all(_are(each.get(name), first.dtype, row, mine) for each, mine in zip(given, right, strict=True)):
                return _SAYS.fill(name=name, what=text_of(row))
    return None


def _are(values: NDArray[Any] | None, dtype: np.dtype[Any], row: Mapping[str, Any], right: NDArray[np.bool_]) -> bool:
    """Whether exactly these entries are correct: those that have the relation of ``row``."""
    if values is None or values.dtype != dtype or values.shape != right.shape:
        return False
    return np.array_equal(getattr(np, row["test"])(values, row["to"]), right)

"""Every number in the result is the same, whatever the inputs.

## What it says

The number, if it is the same in every case and the correct results have others.

## Example

A function that returns an array that it allocated but never filled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.compare import number
from grader.grading.explaining.relations import Pair, count_distinct

RANK = 8
_SAYS = Message("Your result is {value} everywhere, in every case that fails.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The number, if there is only one."""
    entries = [np.unique(pair.got) for pair in pairs]
    if any(len(each) != 1 or each[0] != entries[0][0] for each in entries) or count_distinct(pairs) < 2:
        return None
    several = sum(pair.got.size for pair in pairs) >= 2
    return _SAYS.fill(value=number(entries[0][0])) if several else None

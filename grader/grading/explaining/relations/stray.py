"""NaN or infinity is only in rows without a single allowed key; or the result is correct apart from NaN.

## What it says

That the rows with NaN are those of queries that may attend to nothing, if the case has a mask with such rows.

## Example

A softmax over a row of −∞.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, equal_entries, rows_without_keys

RANK = 4
_EMPTY_ROWS = Message(
    "Your result is correct except in the rows of queries that may attend to no key at all: these are NaN."
)
_EVERYWHERE = Message("Every number in your result is NaN or infinite.")
_ELSEWHERE = Message("Wherever your result is a finite number, it is correct; the other entries are NaN or infinite.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Where NaN and infinity are."""
    if not all(pair.alike and pair.got.dtype.kind == "f" for pair in pairs):
        return None
    strays = [~np.isfinite(pair.got) & np.isfinite(pair.expected) for pair in pairs]
    if not all(stray.any() for stray in strays):
        return None
    if all(stray.all() for stray in strays):
        return _EVERYWHERE if sum(pair.got.size for pair in pairs) >= 4 else None
    right = all(equal_entries(pair.got, pair.expected)[~stray].all() for pair, stray in zip(pairs, strays, strict=True))
    if not right:
        return None
    if all(
        rows_without_keys(pair, stray.any(axis=-1) if stray.ndim else stray)
        for pair, stray in zip(pairs, strays, strict=True)
    ):
        return _EMPTY_ROWS
    return _ELSEWHERE

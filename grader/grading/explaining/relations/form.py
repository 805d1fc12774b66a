"""The values are correct, but their type is not.

## What it says

What the type is, and what it should be; and whether the values are the opposite, or a mask to be added to scores.

## Example

A mask of 0 and 1 instead of False and True.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair

RANK = 0
_ENTRIES = Message("The values are correct; only their type is wrong: {got} where {expected} are expected.")
_OPPOSITE = Message(
    "The result is the opposite of the correct one, and its type is wrong: {got} where {expected} are expected."
)
_ADDED = Message(
    "It is 0 where True is expected and negative where False is expected: that is a mask to add to the scores. Return "
    "booleans instead."
)
_WORDS = {
    "b": Message("booleans"), "i": Message("integers"), "u": Message("integers"),
    "f": Message("floats"),
}  # fmt: skip


def relate(pairs: Sequence[Pair]) -> Text | None:
    """Whether only the type is wrong."""
    kinds = {(pair.got.dtype.kind, pair.expected.dtype.kind) for pair in pairs}
    if len(kinds) > 1 or any(pair.got.shape != pair.expected.shape for pair in pairs):
        return None
    ((got, expected),) = kinds
    if got == expected or got not in _WORDS or expected not in _WORDS or sum(pair.got.size for pair in pairs) < 2:
        return None
    words = {"got": _WORDS[got], "expected": _WORDS[expected]}
    both = [(pair.got.astype(np.float64), pair.expected.astype(np.float64)) for pair in pairs]
    if all(np.array_equal(mine, right) for mine, right in both):
        return _ENTRIES.fill(**words)
    if expected == "b" and all(np.array_equal(1 - mine, right) for mine, right in both):
        return _OPPOSITE.fill(**words)
    if expected == "b" and all(((mine == 0) == (right == 1)).all() and (mine <= 0).all() for mine, right in both):
        return _ADDED
    return None

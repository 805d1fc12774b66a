"""The result has the opposite signs, or the opposite truth values.

## What it says

That every sign, or every True and False, is reversed.

## Example

A mask in which True marks the keys that are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, count_distinct, near

RANK = 10
_TRUTH = Message("True and False are swapped everywhere in your result.")
_SIGN = Message("Every number in your result has the opposite sign.")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The message if every sign or truth value is reversed, else None."""
    if not all(pair.alike for pair in pairs):
        return None
    if all(pair.expected.dtype.kind == "b" for pair in pairs):
        both = sum(pair.expected.size for pair in pairs) >= 4
        return _TRUTH if both and all((pair.got != pair.expected).all() for pair in pairs) else None
    if any(pair.expected.dtype.kind == "b" for pair in pairs) or count_distinct(pairs) < 3:
        return None
    return _SIGN if all(near(-pair.got, pair.expected) for pair in pairs) else None

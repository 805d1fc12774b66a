"""Evaluates sizes in recipes: integers, or integer arithmetic over drawn symbols such as ``"h * d_k + 1"``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from typing import TypeAlias

from grader.core import arithmetic

Size: TypeAlias = int | str

GRAMMAR = arithmetic.Grammar(
    'a whole number, or arithmetic such as "2 * n + 1" with names, whole numbers, + - * // and parentheses',
    numbers=(int,),
    operators={
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.FloorDiv: operator.floordiv,
    },
    signs={},
    functions={},
)


def evaluate(size: Size, symbols: Mapping[str, int]) -> int:
    """The value of ``size``. Raises ValueError, with a message for people, if it has none."""
    return size if isinstance(size, int) else int(arithmetic.evaluate(size, symbols, GRAMMAR))


def names(size: Size) -> frozenset[str]:
    """The symbols used in ``size``. Raises ValueError if it is not in the grammar."""
    return arithmetic.names(size, GRAMMAR)

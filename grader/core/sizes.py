"""Evaluates sizes in recipes: integers, or integer arithmetic over drawn symbols such as ``"h * d_k + 1"``.

The grammar has names, integers, ``+ - * //`` and parentheses; nothing else is ever evaluated.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias

Size: TypeAlias = int | str

#: The grammar, in words.
GRAMMAR = 'a whole number, or arithmetic such as "2 * n + 1" with names, whole numbers, + - * // and parentheses'

_MAX_LENGTH = 200
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def evaluate(size: Size, symbols: Mapping[str, int]) -> int:
    """The value of ``size``. Raises ValueError, with a message for people, if it has none."""
    return size if isinstance(size, int) else _value(_parse(size), symbols)


def names(size: Size) -> frozenset[str]:
    """The symbols used in ``size``. Raises ValueError if it is not in the grammar."""
    return frozenset() if isinstance(size, int) else _names(_parse(size))


def _parse(text: str) -> ast.expr:
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"longer than {_MAX_LENGTH} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"{text!r} is not arithmetic") from None


def _value(node: ast.expr, symbols: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            if name not in symbols:
                raise ValueError(f"{name!r} is not drawn")
            return symbols[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            try:
                return _OPERATORS[type(op)](_value(left, symbols), _value(right, symbols))
            except ZeroDivisionError:
                raise ValueError(f"{ast.unparse(node)!r} divides by zero") from None
    raise ValueError(f"{ast.unparse(node)!r} is not allowed")


def _names(node: ast.expr) -> frozenset[str]:
    match node:
        case ast.Name(id=name):
            return frozenset([name])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _names(left) | _names(right)
    _value(node, {})
    return frozenset()

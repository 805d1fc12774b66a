"""Evaluates real arithmetic over named numbers, such as ``"4 * n**2 * d + sqrt(d)"``, from a whitelisted syntax tree.

``grader.core.sizes`` does the same for whole numbers only.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import TypeAlias

Number: TypeAlias = int | float

#: The grammar, in words.
GRAMMAR = (
    'a number, or arithmetic such as "4 * n**2 + sqrt(d)" with names, numbers, + - * / // **, parentheses, '
    "sqrt, log and exp"
)

FUNCTIONS: Mapping[str, Callable[[Number], Number]] = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp}

_MAX_LENGTH = 200
_MAX_BITS = 4096


def evaluate(expression: Number | str, symbols: Mapping[str, Number]) -> Number:
    """The finite value of ``expression``. Raises ValueError, with a message for people, if it has none."""
    try:
        value = _value(_parse(expression), symbols) if isinstance(expression, str) else expression
        finite = math.isfinite(value)
    except ZeroDivisionError:
        raise ValueError(f"{expression!r} divides by zero") from None
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError(f"{expression!r} is too large, or not a number")
    return value


def names(expression: Number | str) -> frozenset[str]:
    """The names used in ``expression``. Raises ValueError if it is not in the grammar."""
    return frozenset(_names(_parse(expression))) if isinstance(expression, str) else frozenset()


def _parse(text: str) -> ast.expr:
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"it is longer than {_MAX_LENGTH} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"{text!r} is not arithmetic") from None


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if base.bit_length() * exponent > _MAX_BITS:
            raise OverflowError
        return int(base**exponent)
    try:
        return math.pow(base, exponent)
    except ValueError:  # where ** would divide by zero or turn complex
        raise ValueError(f"{base:g} to the power of {exponent:g} has no value") from None


_OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: _power,
}
_SIGNS: Mapping[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def _value(node: ast.expr, symbols: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int(number) | float(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name not in FUNCTIONS:
            if name not in symbols:
                raise ValueError(f"{name!r} is not drawn")
            return symbols[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _SIGNS:
            return _SIGNS[type(sign)](_value(operand, symbols))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, symbols), _value(right, symbols))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            given = _value(argument, symbols)
            try:
                return FUNCTIONS[name](given)
            except ValueError:
                raise ValueError(f"{name} has no value at {given:g}") from None
    raise ValueError(f"{ast.unparse(node)!r} is not allowed")


def _names(node: ast.expr) -> set[str]:
    match node:
        case ast.Name(id=name) if name not in FUNCTIONS:
            return {name}
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _SIGNS:
            return _names(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _names(left) | _names(right)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _names(argument)
    _value(node, {})
    return set()

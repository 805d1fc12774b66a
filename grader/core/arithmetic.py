"""Evaluates arithmetic over named numbers, such as ``"4 * n**2 * d + sqrt(d)"``, from a whitelisted syntax tree.

``REALS`` is the grammar of numbers in quiz items, ``SIZES`` that of sizes in recipes: whole numbers only.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Number: TypeAlias = int | float
#: A size in a recipe: an integer, or integer arithmetic over drawn symbols such as ``"h * d_k + 1"``.
Size: TypeAlias = int | str
_Binary: TypeAlias = Mapping[type[ast.operator], Callable[[Number, Number], Number]]
_Unary: TypeAlias = Mapping[type[ast.unaryop], Callable[[Number], Number]]

#: Far more than anybody writes; both bound the work of an expression.
_MAX_LENGTH = 200
_MAX_BITS = 4096


@dataclass(frozen=True, slots=True)
class Grammar:
    """What an expression may contain, besides names and parentheses. ``description`` is for error messages."""

    description: str
    numbers: tuple[type, ...]
    operators: _Binary
    signs: _Unary
    functions: Mapping[str, Callable[[Number], Number]]


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if base.bit_length() * exponent > _MAX_BITS:
            raise OverflowError
        return int(base**exponent)
    try:
        return math.pow(base, exponent)
    except ValueError:  # where ** would divide by zero or turn complex
        raise ValueError(f"{base:g} to the power of {exponent:g} has no value") from None


#: Operators whose results are whole numbers if both operands are.
_WHOLE: _Binary = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}

REALS = Grammar(
    'a number, or arithmetic such as "4 * n**2 + sqrt(d)" with names, numbers, + - * / // **, parentheses, '
    "sqrt, log and exp",
    numbers=(int, float),
    operators={**_WHOLE, ast.Div: operator.truediv, ast.Pow: _power},
    signs={ast.UAdd: operator.pos, ast.USub: operator.neg},
    functions={"sqrt": math.sqrt, "log": math.log, "exp": math.exp},
)

SIZES = Grammar(
    'a whole number, or arithmetic such as "2 * n + 1" with names, whole numbers, + - * // and parentheses',
    numbers=(int,),
    operators=_WHOLE,
    signs={},
    functions={},
)


def evaluate(expression: Number | str, symbols: Mapping[str, Number], grammar: Grammar = REALS) -> Number:
    """The finite value of ``expression``. Raises ValueError, with a message for people, if it has none."""
    try:
        value = _value(_parse(expression), symbols, grammar) if isinstance(expression, str) else expression
        finite = math.isfinite(value)
    except ZeroDivisionError:
        raise ValueError(f"{expression!r} divides by zero") from None
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError(f"{expression!r} is too large, or not a number")
    return value


def evaluate_size(size: Size, symbols: Mapping[str, int]) -> int:
    """The value of ``size``. Raises ValueError, with a message for people, if it has none."""
    return size if isinstance(size, int) else int(evaluate(size, symbols, SIZES))


def names(expression: Number | str, grammar: Grammar = REALS) -> frozenset[str]:
    """The names used in ``expression``. Raises ValueError if it is not in the grammar."""
    return frozenset(_names(_parse(expression), grammar)) if isinstance(expression, str) else frozenset()


def _parse(text: str) -> ast.expr:
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"it is longer than {_MAX_LENGTH} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"{text!r} is not arithmetic") from None


def _value(node: ast.expr, symbols: Mapping[str, Number], grammar: Grammar) -> Number:
    match node:
        case ast.Constant(value=int(number) | float(number)) if type(number) in grammar.numbers:
            return number
        case ast.Name(id=name) if name not in grammar.functions:
            if name not in symbols:
                raise ValueError(f"{name!r} is not drawn")
            return symbols[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in grammar.signs:
            return grammar.signs[type(sign)](_value(operand, symbols, grammar))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in grammar.operators:
            return grammar.operators[type(op)](_value(left, symbols, grammar), _value(right, symbols, grammar))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in grammar.functions:
            given = _value(argument, symbols, grammar)
            try:
                return grammar.functions[name](given)
            except ValueError:
                raise ValueError(f"{name} has no value at {given:g}") from None
    raise ValueError(f"{ast.unparse(node)!r} is not allowed")


def _names(node: ast.expr, grammar: Grammar) -> set[str]:
    match node:
        case ast.Name(id=name) if name not in grammar.functions:
            return {name}
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in grammar.signs:
            return _names(operand, grammar)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in grammar.operators:
            return _names(left, grammar) | _names(right, grammar)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in grammar.functions:
            return _names(argument, grammar)
    _value(node, {}, grammar)
    return set()

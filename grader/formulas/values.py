"""The values of formulas (numbers, vectors and matrices), how to compare them and how to show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from grader.core.model import Message, Text
from grader.formulas import scalars
from grader.formulas.errors import UndefinedError
from grader.formulas.exact import Exact
from grader.formulas.scalars import Dual, Poly, Scalar, close

ONE, ZERO = Exact(1), Exact(0)


@dataclass(frozen=True, slots=True)
class Vec:
    """A column or ``row`` vector; ``label`` is its declared length. If ``unoriented``, it may be taken as either."""

    items: tuple[Scalar, ...]
    row: bool = False
    label: str = ""
    unoriented: bool = False


@dataclass(frozen=True, slots=True)
class Mat:
    """A matrix as rows; ``labels`` are its declared sizes."""

    rows: tuple[tuple[Scalar, ...], ...]
    labels: tuple[str, str] = ("", "")

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0


@dataclass(frozen=True, slots=True)
class SizelessTensor:
    """``factor`` times an identity matrix, or with ``at`` a unit vector, whose size depends on the context."""

    factor: Scalar
    at: int | None = None


FormulaValue: TypeAlias = Scalar | Vec | Mat | SizelessTensor

IDENTITY = Message("the identity matrix")
UNIT = Message("a unit vector")
_NUMBER_WORD = Message("a number")
#: What is left of terms that cancel.
_NOISE = 1e-30
_ROW_WORD = Message("a row vector of length ${n}$")
_VECTOR_WORD = Message("a vector of length ${n}$")
_MATRIX_WORD = Message("$({n}, {m})$")
RANGE = Message("${what}$ has indices {low} to {high}, but the index is {at}")


def describe_shape(value: FormulaValue) -> Text:
    """The shape of a value, in words."""
    match value:
        case Vec(items, row, label, either):
            return (_ROW_WORD if row and not either else _VECTOR_WORD).fill(n=label or len(items))
        case Mat(_, labels):
            return _MATRIX_WORD.fill(n=labels[0] or value.shape[0], m=labels[1] or value.shape[1])
        case SizelessTensor(_, at):
            return IDENTITY if at is None else UNIT
    return _NUMBER_WORD


def flatten(value: FormulaValue) -> Iterable[Scalar]:
    """All numbers in a value that has a size."""
    return entries(value) if isinstance(value, (Vec, Mat)) else (value,)


def entries(value: Vec | Mat) -> Iterable[Scalar]:
    """All numbers in a vector or matrix."""
    return value.items if isinstance(value, Vec) else (entry for row in value.rows for entry in row)


def map_entries(value: FormulaValue, function: Callable[[Scalar], Scalar]) -> FormulaValue:
    """``value`` with ``function`` applied to every number in it."""
    match value:
        case Vec(items):
            return replace(value, items=tuple(map(function, items)))
        case Mat(rows):
            return replace(value, rows=tuple(tuple(map(function, row)) for row in rows))
        case SizelessTensor(factor):
            return replace(value, factor=function(factor))
    return function(value)


def unit_vector(value: SizelessTensor, size: int) -> Vec:
    """A unit vector of this size. Raises UndefinedError if its index is out of range."""
    if value.at is None or not 1 <= value.at <= size:
        raise UndefinedError(RANGE.fill(what="onehot", low=1, high=size, at=value.at))
    return Vec(tuple(value.factor if i + 1 == value.at else ZERO for i in range(size)))


def resize_like(value: FormulaValue, other: FormulaValue) -> FormulaValue:
    """An identity matrix or unit vector in the size of ``other``; other values unchanged."""
    if isinstance(value, SizelessTensor):
        if value.at is None and isinstance(other, Mat) and other.shape[0] == other.shape[1]:
            size = other.shape[0]
            rows = tuple(tuple(value.factor if i == j else ZERO for j in range(size)) for i in range(size))
            return Mat(rows, other.labels)
        if value.at is not None and isinstance(other, Vec):
            return unit_vector(value, len(other.items))
    return value


def equal(left: FormulaValue, right: FormulaValue) -> bool:
    """Whether two values are equal; row and column vectors are not distinguished."""
    left, right = resize_like(left, right), resize_like(right, left)
    match left, right:
        case Vec(items), Vec(others):
            return len(items) == len(others) and all(map(close, items, others))
        case Mat(), Mat():
            return left.shape == right.shape and all(map(close, entries(left), entries(right)))
        case SizelessTensor(a, at), SizelessTensor(b, other_at):
            return at == other_at and close(a, b)
    if any(isinstance(side, (Vec, Mat, SizelessTensor)) for side in (left, right)):
        return False
    return close(left, right)


def format_value(value: FormulaValue) -> str:
    """A value as text: rationals exactly, other numbers to six digits."""
    match value:
        case Vec(items):
            return f"[{', '.join(map(format_value, items))}]"
        case Mat(rows):
            return f"[{'; '.join(', '.join(map(format_value, row)) for row in rows)}]"
        case SizelessTensor(factor, at):
            base = "I" if at is None else f"onehot({at})"
            return base if factor == 1 else f"{format_value(factor)}·{base}"
        case Fraction():
            if max(value.numerator.bit_length(), value.denominator.bit_length()) < 34:
                return f"{value.numerator}" if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    if isinstance(value, (Poly, Dual)):
        return "…"
    number = scalars.to_mpf(value)
    if abs(number) < _NOISE:
        return "0"
    number = number.real if abs(number.imag) < _NOISE else number
    return str(scalars.mp_context().nstr(number, 6)).strip("()").replace("j", "i").removesuffix(".0")

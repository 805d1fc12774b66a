"""Arithmetic for formulas.

Exact rationals, 50-digit floats for roots and exponentials, polynomials in random variables, and dual numbers for
derivatives.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from grader.core.cache import SizedCache
from grader.core.model import Message
from grader.formulas.errors import TOO_EXPENSIVE, TooExpensiveError, UndefinedError

#: Fraction, mpmath's mpf or mpc, Poly or Dual; the functions of this module accept any mix.
Scalar: TypeAlias = Any

DIGITS = 50
_MOST_BITS = 20_000
_FARTHEST = 10_000
_MOST_TERMS = 4000
#: Steps for one answer. Derivations by people take up to 200,000, and about 80,000 on average.
MOST_STEPS = 800_000

_BY_ZERO = Message("division by 0")
_ROOT = Message("the square root of a negative number")
_LOGARITHM = Message("the logarithm of a number that is not positive")
_POWER = Message("an undefined power")
_COMPLEX = Message("${function}$ of a complex number")
#: What belongs to a complex number.
_PARTS: Mapping[str, Callable[[Any], Any]] = {
    "Re": lambda x: x.real,
    "Im": lambda x: x.imag,
    "conj": lambda x: x.conjugate(),
}


class NotPolynomialError(Exception):
    """The quantity is not a polynomial in the random variables, so states have to be enumerated."""


@dataclass(slots=True)
class StepBudget:
    """The steps that are left for one answer, over all comparisons and instances."""

    left: int


_BUDGET: ContextVar[StepBudget | None] = ContextVar("_PURSE", default=None)


@contextlib.contextmanager
def step_budget(steps: int) -> Iterator[StepBudget]:
    """Limits all meters created inside to ``steps`` in total, and to what is left of the enclosing budget."""
    outer = _BUDGET.get()
    given = steps if outer is None else max(0, min(steps, outer.left))
    shared = StepBudget(given)
    token = _BUDGET.set(shared)
    try:
        yield shared
    finally:
        _BUDGET.reset(token)
        if outer is not None:
            outer.left -= given - shared.left


K = TypeVar("K")
V = TypeVar("V")


def remembered(cache: SizedCache[K, tuple[V, int]], key: K, size: int, compute: Callable[[], V]) -> V:
    """What ``compute`` returns, which has to depend on ``key`` alone; if ``cache`` has it, for the same steps."""
    budget = _BUDGET.get()
    if budget is None:
        return compute()
    if (known := cache.get(key)) is not None and known[1] <= budget.left:
        budget.left -= known[1]
        return known[0]
    before = budget.left
    found = compute()
    if budget.left >= 0:  # else it depends on how many steps there were
        cache.put(key, (found, before - budget.left), size)
    return found


class Meter:
    """The steps that are left for one instance, and the budget that all instances share."""

    __slots__ = ("budget", "left")

    def __init__(self, left: int) -> None:
        self.left = left
        self.budget = _BUDGET.get() or StepBudget(sys.maxsize)

    def spend(self, steps: int = 1) -> None:
        """Deducts ``steps``. Raises TooExpensiveError if that is more than is left."""
        self.left -= steps
        self.budget.left -= steps
        if self.left < 0 or self.budget.left < 0:
            raise TooExpensiveError(TOO_EXPENSIVE)


@functools.cache
def mp_context() -> Any:
    """An mpmath context with 50 digits; imported on first use, since that is slow and most formulas are rational."""
    import mpmath

    context = mpmath.MPContext()
    context.dps = DIGITS
    return context


def is_mpf(x: Scalar) -> bool:
    """Whether ``x`` is a 50-digit float, or a complex number made of two."""
    return hasattr(x, "_mpf_") or is_complex(x)


def is_complex(x: Scalar) -> bool:
    """Whether ``x`` is a complex number of 50-digit floats."""
    return hasattr(x, "_mpc_")


def to_mpf(x: Scalar) -> Scalar:
    """``x`` as a 50-digit float."""
    return x if is_mpf(x) else mp_context().convert(x)


Monomial: TypeAlias = tuple[tuple[int, int], ...]


class Poly:
    """A polynomial in independent standardised random variables, which are identified by numbers."""

    __slots__ = ("meter", "terms")

    def __init__(self, terms: Mapping[Monomial, Scalar], meter: Meter) -> None:
        self.terms = terms
        self.meter = meter

    def __add__(self, other: Scalar) -> Poly:
        """The sum."""
        terms = dict(self.terms)
        for monomial, factor in other.terms.items() if isinstance(other, Poly) else (((), other),):
            before = terms.get(monomial)
            terms[monomial] = factor if before is None else before + factor
        self.meter.spend(1 + (len(other.terms) if isinstance(other, Poly) else 1))
        return Poly(terms, self.meter)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        """The negation."""
        return Poly({monomial: -factor for monomial, factor in self.terms.items()}, self.meter)

    def __mul__(self, other: Scalar) -> Poly:
        """The product."""
        if not isinstance(other, Poly):
            return Poly({monomial: factor * other for monomial, factor in self.terms.items()}, self.meter)
        self.meter.spend(len(self.terms) * len(other.terms))
        terms: dict[Monomial, Scalar] = {}
        for one, factor in self.terms.items():
            for two, other_factor in other.terms.items():
                monomial = _joined(one, two)
                product = factor * other_factor
                before = terms.get(monomial)
                terms[monomial] = product if before is None else before + product
        if len(terms) > _MOST_TERMS:
            raise TooExpensiveError(TOO_EXPENSIVE)
        return Poly(terms, self.meter)

    __rmul__ = __mul__


def _joined(one: Monomial, two: Monomial) -> Monomial:
    if not one or not two:
        return one or two
    powers = dict(one)
    for atom, power in two:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


class Dual:
    """A number with its derivative with respect to one variable.

    ``level`` counts the derivatives that it is below: to a number of a higher one, numbers of lower ones are constant.
    """

    __slots__ = ("derivative", "level", "value")

    def __init__(self, value: Scalar, derivative: Scalar, level: int = 0) -> None:
        self.value = value
        self.derivative = derivative
        self.level = level

    def _lifted(self, other: Scalar) -> tuple[Dual, Dual]:
        """Both numbers at the higher level of the two."""
        if isinstance(other, Dual) and other.level > self.level:
            return Dual(self, Fraction(0), other.level), other
        same = isinstance(other, Dual) and other.level == self.level
        return self, other if same else Dual(other, Fraction(0), self.level)

    def __add__(self, other: Scalar) -> Dual:
        """The sum."""
        one, two = self._lifted(other)
        return Dual(one.value + two.value, one.derivative + two.derivative, one.level)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        """The negation."""
        return Dual(-self.value, -self.derivative, self.level)

    def __mul__(self, other: Scalar) -> Dual:
        """The product."""
        one, two = self._lifted(other)
        return Dual(one.value * two.value, one.derivative * two.value + one.value * two.derivative, one.level)

    __rmul__ = __mul__


def plain(x: Scalar) -> Scalar:
    """``x`` without its derivatives."""
    while isinstance(x, Dual):
        x = x.value
    return x


def _constant(x: Scalar) -> Scalar:
    """The number that a polynomial is, or ``x``. Raises NotPolynomialError if it has variables."""
    if not isinstance(x, Poly):
        return x
    if set(x.terms) - {()}:
        raise NotPolynomialError
    return x.terms.get((), Fraction(0))


def divide(a: Scalar, b: Scalar) -> Scalar:
    """a / b. Raises UndefinedError if b is 0."""
    if isinstance(b, Dual):
        over = divide(Fraction(1), b.value)
        return a * Dual(over, -(b.derivative * over * over), b.level)
    b = _constant(b)
    if b == 0:
        raise UndefinedError(_BY_ZERO)
    return a * (1 / b)


def power(a: Scalar, b: Scalar) -> Scalar:
    """a to the power b. Raises UndefinedError or TooExpensiveError."""
    if isinstance(b, Dual):
        return apply("exp", b * apply("log", a))
    b = _constant(b)
    if isinstance(a, Dual):
        if b == 0:
            return Fraction(1)
        return Dual(power(a.value, b), b * power(a.value, b - 1) * a.derivative, a.level)
    whole = isinstance(b, Fraction) and b.denominator == 1
    if isinstance(a, Poly):
        if not whole or b < 0:
            raise NotPolynomialError
        found: Scalar = Fraction(1)
        for _ in range(int(b)):
            found = a * found
        return found
    if is_complex(a) or is_complex(b):
        return _complex_power(a, b)
    if a == 0 and (b <= 0 if whole else to_mpf(b) <= 0):
        if b == 0:
            return Fraction(1)
        raise UndefinedError(_BY_ZERO)
    if isinstance(a, Fraction) and whole:
        bits = max(a.numerator.bit_length(), a.denominator.bit_length())
        if bits * abs(b) > _MOST_BITS and abs(a) != 1:
            raise TooExpensiveError(TOO_EXPENSIVE)
        return a ** int(b)
    if isinstance(b, Fraction) and b.denominator == 2 and isinstance(a, Fraction):
        return power(square_root(a), 2 * b)
    if a < 0 and not whole:
        raise UndefinedError(_POWER)
    if abs(_magnitude(a) * to_mpf(b)) > _FARTHEST:
        raise TooExpensiveError(TOO_EXPENSIVE)
    return to_mpf(a) ** (int(b) if whole else to_mpf(b))


def _complex_power(a: Scalar, b: Scalar) -> Scalar:
    if not isinstance(b, Fraction) or b.denominator > 1 or abs(b) > _FARTHEST or a == 0:
        raise UndefinedError(_POWER)
    return a ** int(b)


def _magnitude(x: Scalar) -> int:
    """The approximate number of binary digits before the point."""
    if is_mpf(x):
        return int(x._mpf_[2] + x._mpf_[3])
    return int(x.numerator.bit_length() - x.denominator.bit_length())


def square_root(a: Scalar) -> Scalar:
    """√a, exact if it is rational. Raises UndefinedError if a is negative."""
    if a < 0:
        raise UndefinedError(_ROOT)
    if isinstance(a, Fraction):
        over, under = math.isqrt(a.numerator), math.isqrt(a.denominator)
        if over * over == a.numerator and under * under == a.denominator:
            return Fraction(over, under)
    return mp_context().sqrt(to_mpf(a))


def apply(function: str, x: Scalar) -> Scalar:
    """The value of an elementary function. Raises UndefinedError or TooExpensiveError."""
    x = _constant(x)
    if isinstance(x, Dual):
        value = apply(function, x.value)
        return Dual(value, _derivative(function, x.value, value) * x.derivative, x.level)
    if is_complex(x) and function not in ("exp", "abs", *_PARTS):
        raise UndefinedError(_COMPLEX.fill(function=function))
    if function in _PARTS:
        return _PARTS[function](mp_context().mpc(to_mpf(x)))
    match function:
        case "sqrt":
            return square_root(x)
        case "abs":
            return abs(x)
        case "exp" | "sigmoid" if x == 0:
            return Fraction(1) if function == "exp" else Fraction(1, 2)
        case "sin" | "cos" if x == 0:
            return Fraction(function == "cos")
        case "log" | "log2" if x == 1:
            return Fraction(0)
        case "log" | "log2":
            if x <= 0:
                raise UndefinedError(_LOGARITHM)
            found = mp_context().log(to_mpf(x))
            return found / mp_context().log(2) if function == "log2" else found
    if abs(x) > _FARTHEST:
        raise TooExpensiveError(TOO_EXPENSIVE)
    x = to_mpf(x)
    return 1 / (1 + mp_context().exp(-x)) if function == "sigmoid" else getattr(mp_context(), function)(x)


def _derivative(function: str, x: Scalar, value: Scalar) -> Scalar:
    """The derivative of ``function`` at ``x``, where it has ``value``."""
    match function:
        case "sqrt":
            return divide(Fraction(1, 2), value)
        case "abs":
            if plain(x) == 0:
                raise UndefinedError(_POWER)
            return Fraction(1 if plain(x) > 0 else -1)
        case "exp":
            return value
        case "sigmoid":
            return value * (1 + -value)
        case "sin":
            return apply("cos", x)
        case "cos":
            return -apply("sin", x)
        case "log2":
            return divide(Fraction(1), x * mp_context().log(2))
    return divide(Fraction(1), x)


def close(a: Scalar, b: Scalar) -> bool:
    """Whether two numbers are equal: exactly if both are exact, else to 30 digits."""
    if not is_mpf(a) and not is_mpf(b):
        return bool(a == b)
    a, b = to_mpf(a), to_mpf(b)
    return bool(abs(a - b) <= mp_context().mpf(10) ** -30 * max(1, abs(a), abs(b)))

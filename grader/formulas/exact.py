"""Fractions with quick sums and products: most numbers in formulas are whole."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

#: Whole numbers below this are exact as 50-digit floats.
_SMALL = 1 << 60


class Exact(Fraction):
    """A fraction. Its sums and products with others are such fractions, too."""

    __slots__ = ()
    _numerator: int
    _denominator: int

    def __add__(self, other: Any) -> Any:
        """The sum."""
        if type(other) in _FRACTIONS:
            below, others = self._denominator, other._denominator
            if below == others == 1:
                return _made(self._numerator + other._numerator, 1)
            return _reduced(self._numerator * others + other._numerator * below, below * others)
        if (whole := self._beside_float(other)) is not None:
            return other + whole
        return _exact(Fraction.__add__(self, other))

    def __mul__(self, other: Any) -> Any:
        """The product."""
        if type(other) in _FRACTIONS:
            below = self._denominator * other._denominator
            above = self._numerator * other._numerator
            return _made(above, 1) if below == 1 else _reduced(above, below)
        if (whole := self._beside_float(other)) is not None:
            return other * whole
        return _exact(Fraction.__mul__(self, other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Exact:
        """The negation."""
        return _made(-self._numerator, self._denominator)

    def _beside_float(self, other: Any) -> int | None:
        """The number, if it is whole and small, and ``other`` a 50-digit float, which takes whole numbers at once."""
        whole = self._denominator == 1 and -_SMALL < self._numerator < _SMALL and hasattr(other, "_mpf_")
        return self._numerator if whole else None


#: Not by isinstance, which is slow for abstract classes such as these.
_FRACTIONS = (Exact, Fraction)


def whole(number: int) -> Exact:
    """A whole number; 1 for True."""
    return _made(int(number), 1)


def _made(above: int, below: int) -> Exact:
    found = object.__new__(Exact)
    found._numerator, found._denominator = above, below
    return found


def _reduced(above: int, below: int) -> Exact:
    shared = math.gcd(above, below)
    return _made(above // shared, below // shared)


def _exact(found: Any) -> Any:
    return _made(found.numerator, found.denominator) if type(found) is Fraction else found

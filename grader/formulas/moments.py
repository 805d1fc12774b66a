"""Exact expectations over two small discrete families of distributions.

Both have mean 0 and variance 1; a quantity is shifted and scaled to its given mean and variance. One is skewed with
two points, the other symmetric with three: they disagree wherever more than mean and variance matters.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from grader.formulas.scalars import Dual, Poly, Scalar

FAMILIES: tuple[tuple[tuple[Fraction, Fraction], ...], ...] = (
    ((Fraction(2), Fraction(1, 5)), (Fraction(-1, 2), Fraction(4, 5))),
    ((Fraction(2), Fraction(1, 8)), (Fraction(0), Fraction(3, 4)), (Fraction(-2), Fraction(1, 8))),
)

#: States that are enumerated if the quantity is not a polynomial.
MOST_STATES = 20_000


@functools.cache
def moment(family: int, order: int) -> Fraction:
    """E[Zᵏ] for k = ``order``; family −1 is the normal distribution."""
    if family < 0:
        return Fraction(0) if order % 2 else functools.reduce(lambda a, b: a * b, range(1, order, 2), Fraction(1))
    return sum((chance * value**order for value, chance in FAMILIES[family]), Fraction(0))


def mean(
    x: Scalar,
    family: int,
    normal: frozenset[int],
    higher_moments: set[tuple[int, int]],
    given: frozenset[int] = frozenset(),
) -> Scalar:
    """E[x | given]. ``normal`` are the normal variables, ``given`` those that are held fixed.

    Adds (variable, order) of other moments used to ``higher_moments``.
    """
    if isinstance(x, Dual):
        value, derivative = (mean(y, family, normal, higher_moments, given) for y in (x.value, x.derivative))
        return Dual(value, derivative, x.level)
    if not isinstance(x, Poly):
        return x
    x.meter.spend(len(x.terms))
    found: Scalar = Fraction(0)
    for monomial, factor in x.terms.items():
        if isinstance(factor, Fraction) and factor == 0:
            continue
        fixed = tuple((atom, order) for atom, order in monomial if atom in given)
        drawn = [(atom, order) for atom, order in monomial if atom not in given]
        value = math.prod((moment(-1 if atom in normal else family, order) for atom, order in drawn), start=factor)
        if not any(order == 1 for _, order in drawn):
            higher_moments |= {(atom, order) for atom, order in drawn if order > 2 and atom not in normal}
        found = found + (Poly({fixed: value}, x.meter) if fixed else value)
    return found


def states(atoms: Sequence[int], family: int) -> Iterator[tuple[Fraction, dict[int, Fraction]]]:
    """Every state of these variables with its probability."""
    for drawn in product(FAMILIES[family], repeat=len(atoms)):
        chance = Fraction(1)
        for _, each in drawn:
            chance *= each
        yield chance, {atom: value for atom, (value, _) in zip(atoms, drawn, strict=True)}

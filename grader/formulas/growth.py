"""Growth rates: sums of monomials without constant factors and dominated terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from grader.core.model import Message
from grader.formulas import scalars
from grader.formulas.ast import FunctionCall, Name, Node, Number, Plus, Power, Times
from grader.formulas.declarations import Declarations, Definition, Scalar
from grader.formulas.errors import TOO_EXPENSIVE, ParseError, TooExpensiveError
from grader.formulas.printer import RAISED, show

#: (name, power of it, power of its logarithm), sorted by name.
Monomial: TypeAlias = tuple[tuple[str, Fraction, Fraction], ...]
Growth: TypeAlias = frozenset[Monomial]
_Terms: TypeAlias = dict[Monomial, Fraction]

_MOST_TERMS = 60
_UNIT: Monomial = ()

_STRANGE = Message(
    "“${what}$” cannot be part of a growth rate here: write sums and products of powers and logarithms, "
    "such as `O(n² d + n d²)`."
)
_ZERO = Message("This is 0, which has no growth rate.")
_SUM_BELOW = Message("“${what}$” is a sum in a denominator, a root or a high power: keep only its largest term.")


@dataclass(frozen=True, slots=True)
class _Reader:
    names: Declarations

    def terms(self, node: Node) -> _Terms:
        match node:
            case Number(value):
                return {_UNIT: value} if value else {}
            case Name(name):
                return self.name(name, node)
            case Plus(terms):
                found: _Terms = {}
                for minus, term in terms:
                    for monomial, factor in self.terms(term).items():
                        found[monomial] = found.get(monomial, Fraction(0)) + (-factor if minus else factor)
                return {monomial: factor for monomial, factor in found.items() if factor}
            case Times(first, rest):
                made = self.terms(first)
                for sign, factor_node in rest:
                    other = self.terms(factor_node)
                    made = _product(made, self.power(other, Fraction(-1), factor_node) if sign == "/" else other)
                return made
            case Power(base, exponent):
                return self.power(self.terms(base), self.constant(exponent), node)
            case FunctionCall("O", (body,)):
                return self.terms(body)
            case FunctionCall("sqrt", (body,)):
                return self.power(self.terms(body), Fraction(1, 2), node)
            case FunctionCall("log" | "log2", (body,)):
                return self.log(self.terms(body), node)
            case FunctionCall("max", parts):
                return self.terms(Plus(tuple((False, part) for part in parts)))
        raise ParseError(_STRANGE.fill(what=show(node)))

    def name(self, name: str, node: Node) -> _Terms:
        match self.names.declared.get(name):
            case Scalar():
                return {((name, Fraction(1), Fraction(0)),): Fraction(1)}
            case Definition(formula, None):
                return self.terms(formula)
        raise ParseError(_STRANGE.fill(what=show(node)))

    def constant(self, node: Node) -> Fraction:
        terms = self.terms(node)
        if set(terms) - {_UNIT}:
            raise ParseError(_STRANGE.fill(what=show(node)))
        return terms.get(_UNIT, Fraction(0))

    def power(self, terms: _Terms, exponent: Fraction, node: Node) -> _Terms:
        if exponent.denominator == 1 and 0 <= exponent <= 12:
            found: _Terms = {_UNIT: Fraction(1)}
            for _ in range(int(exponent)):
                found = _product(found, terms)
            return found
        if set(terms) == {_UNIT}:
            value = scalars.power(terms[_UNIT], exponent) if exponent.denominator == 1 else Fraction(1)
            return {_UNIT: value} if value else {}
        largest = largest_terms(terms)
        if len(largest) != 1 or abs(exponent) > 12:
            raise ParseError((_SUM_BELOW if len(largest) > 1 else _STRANGE).fill(what=show(node)))
        (monomial,) = largest
        return {tuple((name, a * exponent, b * exponent) for name, a, b in monomial): Fraction(1)}

    def log(self, terms: _Terms, node: Node) -> _Terms:
        """The logarithm of the largest terms: the sum of the logarithms of their factors."""
        found: _Terms = {_UNIT: Fraction(1)} if set(terms) == {_UNIT} else {}
        for monomial in largest_terms(terms):
            for name, a, b in monomial:
                if b or a <= 0:
                    raise ParseError(_STRANGE.fill(what=show(node)))
                found[((name, Fraction(0), Fraction(1)),)] = Fraction(1)
        return found


def growth(node: Node, names: Declarations) -> Growth:
    """The growth rate of ``node`` as all symbols grow. Raises ParseError or TooExpensiveError."""
    found = largest_terms(_Reader(names).terms(node))
    if not found:
        raise ParseError(_ZERO)
    return found


def _product(one: _Terms, two: _Terms) -> _Terms:
    if len(one) * len(two) > _MOST_TERMS**2:
        raise TooExpensiveError(TOO_EXPENSIVE)
    found: _Terms = {}
    for first, factor in one.items():
        for second, other in two.items():
            monomial = _joined(first, second)
            found[monomial] = found.get(monomial, Fraction(0)) + factor * other
    if len(found) > _MOST_TERMS:
        raise TooExpensiveError(TOO_EXPENSIVE)
    return {monomial: factor for monomial, factor in found.items() if factor}


def _joined(one: Monomial, two: Monomial) -> Monomial:
    powers = {name: (a, b) for name, a, b in one}
    for name, a, b in two:
        before = powers.get(name, (Fraction(0), Fraction(0)))
        powers[name] = (before[0] + a, before[1] + b)
    return tuple(sorted((name, a, b) for name, (a, b) in powers.items() if a or b))


def largest_terms(terms: Iterable[Monomial]) -> Growth:
    """The terms that others do not dominate."""
    kept = list(terms)
    for monomial in list(kept):
        others = [other for other in kept if other != monomial]
        if _dominated(monomial, others):
            kept.remove(monomial)
    return frozenset(kept)


def _dominated(monomial: Monomial, others: list[Monomial]) -> bool:
    """Whether another term grows at least as fast, or two others together do: nd ≤ n² + d²."""
    if any(_below(monomial, other) for other in others):
        return True
    return any(_between(monomial, one, two) for one, two in combinations(others, 2))


def _below(one: Monomial, two: Monomial) -> bool:
    mine, theirs = _powers(one), _powers(two)
    zero = (Fraction(0), Fraction(0))
    return all(mine.get(name, zero) <= theirs.get(name, zero) for name in mine.keys() | theirs.keys())


def _between(monomial: Monomial, one: Monomial, two: Monomial) -> bool:
    """Whether one^t · two^(1 − t) ≥ monomial for some t from 0 to 1. False if there are logarithms."""
    low, high = Fraction(0), Fraction(1)
    mine, first, second = _powers(monomial), _powers(one), _powers(two)
    zero = (Fraction(0), Fraction(0))
    if any(b for powers in (mine, first, second) for _, b in powers.values()):
        return False
    for name in mine.keys() | first.keys() | second.keys():
        wanted, a, b = (powers.get(name, zero)[0] for powers in (mine, first, second))
        if a == b:
            if b < wanted:
                return False
        elif a > b:
            low = max(low, (wanted - b) / (a - b))
        else:
            high = min(high, (wanted - b) / (a - b))
    return low <= high


def _powers(monomial: Monomial) -> dict[str, tuple[Fraction, Fraction]]:
    return {name: (a, b) for name, a, b in monomial}


def format_growth(found: Growth) -> str:
    """A growth rate as text: O(n² d + n d²)."""
    terms = []
    for monomial in sorted(found, reverse=True):
        factors = []
        for name, a, b in monomial:
            if a:
                power = f"{a}".translate(RAISED) if a.denominator == 1 and a > 0 else f"^({a})"
                factors.append(name if a == 1 else f"{name}{power}")
            if b:
                factors.append(f"log({name})" if b == 1 else f"log({name})^({b})")
        terms.append(" ".join(factors) or "1")
    return f"O({' + '.join(terms)})"


def same_growth(one: Node, two: Node, names: Declarations) -> bool:
    """Whether two formulas have the same growth: each is bounded by a multiple of the other."""
    first, second = growth(one, names), growth(two, names)
    return all(m in second or _dominated(m, list(second)) for m in first) and all(
        m in first or _dominated(m, list(first)) for m in second
    )

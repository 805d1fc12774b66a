"""The flat form of a formula, in which two ways to write the same step look alike.

Numbers become polynomials over symbols and opaque parts (``Var(…)``, ``q_i``, ``exp(…)``): brackets are multiplied out,
like terms collected, factors cancelled against divisors, and sums divided by sums where nothing is left over. Products
of matrices lose their inner brackets, and bound indices their names. Definitions are not unfolded.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from grader.formulas.ast import (
    ONE,
    SOME_ONES,
    ZERO,
    Derivative,
    FunctionCall,
    ListNode,
    Name,
    Node,
    Number,
    Plus,
    Power,
    Sign,
    Subscript,
    Sum,
    Times,
    Transpose,
    children,
    product_of,
    replaced,
    sum_of,
    walk,
    with_children,
)
from grader.formulas.declarations import Declarations, Definition, Random, Rotation, Tensor
from grader.formulas.parse import index_names

#: A number, a column (or vector), a row, or a matrix.
Shape: TypeAlias = Literal["number", "column", "row", "matrix"]
#: Atoms with their exponents, sorted.
Monomial: TypeAlias = tuple[tuple[Node, Fraction], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]

#: A product of sums with more terms than this is not multiplied out.
_MOST_TERMS = 60
_ALIKE = ("exp", "log", "log2", "sqrt", "sin", "cos", "sigmoid", "softmax", "E", "transpose")


class _TooManyTermsError(Exception):
    """The product is not worth multiplying out."""


# --------------------------------------------------------------------------------------------------- shapes


def shape(node: Node, names: Declarations) -> Shape:  # noqa: PLR0911
    """The shape of ``node``, from the declarations alone."""
    match node:
        case Name(name):
            return _shape_of_name(name, names)
        case ListNode(items):
            return "column" if all(shape(item, names) == "number" for item in items) else "matrix"
        case Subscript(of, at):
            if isinstance(of, Name) and isinstance(names.declared.get(of.name), Rotation):
                return "matrix"
            return "row" if shape(of, names) == "matrix" and len(at) == 1 else "number"
        case Transpose(of):
            found = shape(of, names)
            return "row" if found == "column" else "column" if found == "row" else found
        case Times(first, rest):
            found = shape(first, names)
            for sign, factor in rest:
                found = _shape_of_product(found, shape(factor, names), sign)
            return found
        case Plus():
            shapes = [shape(term, names) for term in children(node)]
            return next((found for found in shapes if found != "number"), "number")
        case Sum(indices, _, _, _, body):
            return shape(body, names) if indices else "number"
        case Power(base):
            return shape(base, names)
        case Derivative(of, by):
            above, below = shape(of, names) != "number", shape(by, names) != "number"
            is_map = isinstance(of, Name) and names.vocabulary.kinds.get(of.name) == "map"
            return "matrix" if below and (above or is_map) else "column" if above or below else "number"
        case FunctionCall(function, args):
            return _shape_of_call(function, args, names)
    return "number"


def _shape_of_name(name: str, names: Declarations) -> Shape:
    declared = names.declared.get(name)
    if isinstance(declared, Definition):
        return shape(declared.formula, names) if declared.parameter is None else "number"
    if name == "I":
        return "matrix"
    shapes: Mapping[str, Shape] = {"vector": "column", "matrix": "matrix"}
    return shapes.get(names.vocabulary.kinds.get(name, ""), "number")


def _shape_of_call(function: str, args: tuple[Node, ...], names: Declarations) -> Shape:
    declared = names.declared.get(function)
    if isinstance(declared, Definition):
        return shape(declared.formula, names)
    if function in ("diag", "rot", "jacobian"):
        return "matrix"
    if function in ("onehot", "ones"):
        return "column"
    return shape(args[0], names) if function in _ALIKE or declared is not None else "number"


def _shape_of_product(left: Shape, right: Shape, sign: Sign) -> Shape:
    if sign == "⊗":
        return "matrix"
    if "number" in (left, right):
        return right if left == "number" else left
    if sign == "·" and "matrix" not in (left, right):
        return "number"
    if sign == "@" and left == right == "column":
        return "number"
    if left == right:
        return left
    if "matrix" in (left, right):
        return "column" if left == "matrix" else "row"
    return "number" if left == "row" else "matrix"


def with_ones(node: Node, names: Declarations) -> Node:
    """``node`` with a vector of ones where a number is added to a vector: ``v − p·v`` as ``v − (p·v) ones(n)``.

    The ones in ``1 xᵀ`` and ``x 1ᵀ`` get the length of x. The identity is δ_ij where an entry is added to it.
    """
    below = children(node)
    made = with_children(node, [with_ones(child, names) for child in below]) if below else node
    if isinstance(made, Times) and {SOME_ONES, Transpose(SOME_ONES)} & {*children(made)}:
        size = next((found for part in children(made) if (found := _length(part, names))), names.only_size)
        ones = FunctionCall("ones", (size,) if size else ())
        known: Mapping[Node, Node] = {SOME_ONES: ones, Transpose(SOME_ONES): Transpose(ones)}
        return with_children(made, [known.get(part, part) for part in children(made)])
    if not isinstance(made, Plus):
        return made
    entry = sorted(index_names(made, names.vocabulary))
    if len(entry) == 2 and all(term == Name("I") or shape(term, names) == "number" for _, term in made.terms):
        return replaced(made, {Name("I"): FunctionCall("delta", tuple(map(Name, entry)))})
    sizes = {_length(term, names) for _, term in made.terms if shape(term, names) == "column"} - {None}
    if len(sizes) != 1:
        return made
    ones = FunctionCall("ones", (sizes.pop(),))  # type: ignore[arg-type]
    terms = [
        (minus, Times(term, ((" ", ones),)) if term != ZERO and shape(term, names) == "number" else term)
        for minus, term in made.terms
    ]
    return Plus(tuple(terms))


def _length(node: Node, names: Declarations) -> Node | None:
    """The declared length of a vector, if a name in it or in its definition tells it."""
    match node:
        case Name(name):
            declared = names.declared.get(name)
            if isinstance(declared, (Tensor, Random)) and len(declared.sizes) == 1:
                return declared.sizes[0]
            return _length(declared.formula, names) if isinstance(declared, Definition) else None
        case FunctionCall("ones", (size,)):
            return size
        case FunctionCall("softmax" | "exp" | "diag", (of,)) | Transpose(of):
            return _length(of, names)
        case Times(first, rest):
            if shape(first, names) == "matrix":
                rows, *others = _sizes(first, names)
                return rows if others else _length(first, names)
            found = [_length(part, names) for part in (first, *(factor for _, factor in rest))]
            return next((size for size in found if size is not None), None)
    return None


def _sizes(node: Node, names: Declarations) -> tuple[Node | None, ...]:
    """The declared sizes of a symbol or of its transpose; None for what is unknown."""
    if isinstance(node, Transpose):
        return _sizes(node.of, names)[::-1]
    declared = names.declared.get(node.name) if isinstance(node, Name) else None
    return declared.sizes if isinstance(declared, (Tensor, Random)) else (None,)


# ---------------------------------------------------------------------------------------------- polynomials


def _key(node: Node) -> str:
    return repr(node)


def _monomial(powers: Mapping[Node, Fraction]) -> Monomial:
    kept = [(atom, exponent) for atom, exponent in powers.items() if exponent]
    return tuple(sorted(kept, key=lambda power: _key(power[0])))


def _atom(node: Node, exponent: Fraction = Fraction(1)) -> Polynomial:
    return {((node, exponent),): Fraction(1)}


def _number(value: Fraction | int) -> Polynomial:
    return {(): Fraction(value)} if value else {}


def _add(left: Polynomial, right: Polynomial, factor: Fraction = Fraction(1)) -> Polynomial:
    found = dict(left)
    for monomial, number in right.items():
        found[monomial] = found.get(monomial, Fraction(0)) + factor * number
    return {monomial: number for monomial, number in found.items() if number}


def _multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > _MOST_TERMS:
        raise _TooManyTermsError
    found: Polynomial = {}
    for one, number in left.items():
        for other, factor in right.items():
            powers = dict(one)
            for atom, exponent in other:
                powers[atom] = powers.get(atom, Fraction(0)) + exponent
            found = _add(found, {_monomial(powers): number * factor})
    return _reduced(found)


def _reduced(found: Polynomial) -> Polynomial:
    """``found`` without whole powers of sums, and without sums that divide what they can divide."""
    for monomial in found:
        for atom, exponent in monomial:
            if not isinstance(atom, Plus):
                continue
            if exponent > 0 and exponent.denominator == 1:
                rest = _monomial({part: power for part, power in monomial if part != atom})
                others = {other: number for other, number in found.items() if other != monomial}
                expanded = _multiply(_power_of(_terms_of(atom), int(exponent)), {rest: found[monomial]})
                return _reduced(_add(others, expanded))
            if exponent < 0 and (divided := _divided_by_sum(found, atom, exponent)) is not None:
                return _reduced(divided)
    return found


def _divided_by_sum(found: Polynomial, divisor: Plus, exponent: Fraction) -> Polynomial | None:
    """``found`` with one division by ``divisor`` carried out in all terms with this exponent; None if that fails."""
    power = (divisor, exponent)
    above = {
        _monomial({part: raised for part, raised in monomial if part != divisor}): number
        for monomial, number in found.items()
        if power in monomial
    }
    quotient = _quotient(above, _terms_of(divisor))
    if quotient is None:
        return None
    others = {monomial: number for monomial, number in found.items() if power not in monomial}
    return _add(others, _multiply(quotient, _atom(divisor, exponent + 1) if exponent != -1 else _number(1)))


def _terms_of(total: Plus) -> Polynomial:
    """The polynomial that a sum in flat form was made from."""
    found: Polynomial = {}
    for minus, term in total.terms:
        found = _add(found, _monomial_of(term), Fraction(-1 if minus else 1))
    return found


def _monomial_of(term: Node) -> Polynomial:
    match term:
        case Number(value):
            return _number(value)
        case Power(base, Number(exponent)):
            return _atom(base, exponent)
        case Times(first, rest) if all(sign in (" ", "/") for sign, _ in rest):
            found = _monomial_of(first)
            for sign, factor in rest:
                ((monomial, number),) = _monomial_of(factor).items()
                turned = {_monomial({atom: -power for atom, power in monomial}): 1 / number}
                found = _multiply(found, turned if sign == "/" else {monomial: number})
            return found
    return _atom(term)


def _power_of(base: Polynomial, exponent: int) -> Polynomial:
    return functools.reduce(_multiply, [base] * exponent, _number(1))


def _leading(found: Polynomial, order: Mapping[Node, int]) -> Monomial:
    """The largest monomial in lexicographic order."""

    def key(monomial: Monomial) -> list[Fraction]:
        powers = dict(monomial)
        return [powers.get(atom, Fraction(0)) for atom in order]

    return max(found, key=key)


def _quotient(above: Polynomial, below: Polynomial) -> Polynomial | None:
    """``above`` divided by ``below``; None if something is left over."""
    atoms = sorted({atom for monomial in (*above, *below) for atom, _ in monomial}, key=_key)
    order = {atom: place for place, atom in enumerate(atoms)}
    quotient: Polynomial = {}
    rest = dict(above)
    head = _leading(below, order)
    for _ in range(_MOST_TERMS):
        if not rest:
            return quotient
        first = _leading(rest, order)
        powers = dict(first)
        for atom, exponent in head:
            powers[atom] = powers.get(atom, Fraction(0)) - exponent
        if any(exponent < 0 and dict(first).get(atom, 0) >= 0 for atom, exponent in powers.items()):
            return None
        step = {_monomial(powers): rest[first] / below[head]}
        quotient = _add(quotient, step)
        rest = _add(rest, _multiply(step, below), Fraction(-1))
    return None


def common_factor(found: Polynomial) -> Monomial:
    """The powers that all terms share."""
    shared = [dict(monomial) for monomial in found]
    atoms = set.intersection(*(set(powers) for powers in shared)) if shared else set()
    least = {atom: min(powers[atom] for powers in shared) for atom in atoms}
    return _monomial(least)


# ----------------------------------------------------------------------------------------------- trees again


def _tree(found: Polynomial) -> Node:
    terms = [(number < 0, _term(monomial, abs(number))) for monomial, number in found.items()]
    return sum_of(sorted(terms, key=lambda term: (_key(term[1]), term[0])))


def _term(monomial: Monomial, number: Fraction) -> Node:
    factors: list[tuple[Sign, Node]] = [] if number == 1 and monomial else [(" ", Number(number))]
    below: list[tuple[Sign, Node]] = []
    for atom, exponent in monomial:
        node = atom if abs(exponent) == 1 else Power(atom, Number(abs(exponent)))
        if exponent > 0:
            factors.append((" ", node))
        else:
            below.append(("/", node))
    return product_of([*factors, *below])


# ---------------------------------------------------------------------------------------------- the flat form


@dataclass(frozen=True, slots=True)
class Flat:
    """Makes flat forms; with ``brackets``, products of matrices keep theirs."""

    names: Declarations
    brackets: bool = False

    def __call__(self, node: Node) -> Node:
        """The flat form of ``node``."""
        try:
            return self._node(node, {})
        except (_TooManyTermsError, ZeroDivisionError, OverflowError):
            return node

    def polynomial(self, node: Node) -> Polynomial | None:
        """``node`` as a polynomial; None if it is no number, or has too many terms."""
        try:
            return self._polynomial(node, {}) if shape(node, self.names) == "number" else None
        except (_TooManyTermsError, ZeroDivisionError, OverflowError):
            return None

    def _node(self, node: Node, bound: Mapping[str, Node]) -> Node:
        if shape(node, self.names) == "number":
            return _tree(self._polynomial(node, bound))
        factor, core = self._split(node, bound)
        return core if factor == _number(1) else _scaled(factor, core)

    def _polynomial(self, node: Node, bound: Mapping[str, Node]) -> Polynomial:
        match node:
            case Number(value):
                return _number(value)
            case Plus(terms):
                total: Polynomial = {}
                for minus, term in terms:
                    total = _add(total, self._polynomial(term, bound), Fraction(-1 if minus else 1))
                return _reduced(total)
            case Times():
                factor, core = self._factors(node, bound)
                return factor if core is None else _multiply(factor, _atom(core))
            case Power(base, exponent):
                return self._power(base, exponent, bound)
            case Transpose(of):
                return self._polynomial(of, bound)
            case FunctionCall("sqrt", (of,)):
                return self._power(of, Number(Fraction(1, 2)), bound)
        return _atom(self._opaque(node, bound))

    def _power(self, base: Node, exponent: Node, bound: Mapping[str, Node]) -> Polynomial:
        if base == Name("e"):
            return _atom(self._folded(FunctionCall("exp", (self._node(exponent, bound),))))
        raised = self._polynomial(exponent, bound)
        below = self._polynomial(base, bound)
        if set(raised) - {()}:
            return _atom(Power(_tree(below), _tree(raised)))
        return _raised(below, raised.get((), Fraction(0)))

    def _split(self, node: Node, bound: Mapping[str, Node]) -> tuple[Polynomial, Node]:
        """A vector or matrix as a number times the rest."""
        match node:
            case Times():
                factor, core = self._factors(node, bound)
                return factor, core or ONE
            case Plus(terms):
                return _number(1), self._sum(terms, bound)
            case Transpose(of):
                factor, core = self._split(of, bound)
                return factor, core.of if isinstance(core, Transpose) else Transpose(core)
        return _number(1), self._opaque(node, bound)

    def _sum(self, terms: tuple[tuple[bool, Node], ...], bound: Mapping[str, Node]) -> Node:
        collected: dict[Node, Polynomial] = {}
        for minus, term in terms:
            inner = term.terms if isinstance(term, Plus) else ((False, term),)
            for negative, part in inner:
                factor, core = self._split(part, bound)
                sign = Fraction(-1 if minus != negative else 1)
                collected[core] = _add(collected.get(core, {}), factor, sign)
        made = [_scaled(factor, core) for core, factor in collected.items() if factor]
        flagged = [
            (True, part.terms[0][1]) if isinstance(part, Plus) and len(part.terms) == 1 else (False, part)
            for part in made
        ]
        return sum_of(sorted(flagged, key=lambda term: (_key(term[1]), term[0])))

    def _factors(self, node: Times, bound: Mapping[str, Node]) -> tuple[Polynomial, Node | None]:
        """A product as a number times what does not commute, in the order given."""
        number = _number(1)
        core: list[tuple[Sign, Node]] = []
        for sign, part in self._flattened(node):
            if shape(part, self.names) == "number":
                factor = self._polynomial(part, bound)
                number = _multiply(number, _raised(factor, Fraction(-1)) if sign == "/" else factor)
                continue
            factor, inner = self._split(part, bound)
            number = _multiply(number, factor)
            core = self._joined(core, sign, inner)
            if shape(product_of(core), self.names) == "number":
                number = _multiply(number, _atom(_inner_product(core, self.names)))
                core = []
        return number, product_of(core) if core else None

    def _flattened(self, node: Times) -> Iterator[tuple[Sign, Node]]:
        """The factors of a product, without inner brackets that change nothing: (A B) C is A B C, by convention."""
        parts: list[tuple[Sign, Node]] = [(" ", node.first), *node.rest]
        for place, (sign, part) in enumerate(parts):
            plain = isinstance(part, Times) and sign in (" ", "@", "*") and _associative(part)
            kept = self.brackets and place > 0
            later = parts[place + 1][0] if place + 1 < len(parts) else " "
            if plain and isinstance(part, Times) and not kept and later not in ("⊙", "⊗", "·"):
                if shape(part, self.names) == "number":
                    yield sign, part
                    continue
                inner = list(self._flattened(part))
                yield sign, inner[0][1]
                yield from inner[1:]
            else:
                yield sign, part

    def _joined(self, core: list[tuple[Sign, Node]], sign: Sign, part: Node) -> list[tuple[Sign, Node]]:
        if not core:
            return [(" ", part)]
        if sign in ("⊙", "⊗", "·") and len(core) > 1:
            return [(" ", product_of(core)), (sign, part)]
        if sign == "@" and len(core) == 1 and shape(core[0][1], self.names) == shape(part, self.names) == "column":
            return [*core, ("·", part)]
        if sign == "@" or (sign == "*" and "matrix" in (shape(part, self.names), shape(core[-1][1], self.names))):
            sign = " "
        return [*core, (sign, part)]

    def _opaque(self, node: Node, bound: Mapping[str, Node]) -> Node:
        match node:
            case Name(name):
                return bound.get(name, node)
            case Sum(indices, low, high, relation, body, without):
                high = high or (_range(body, indices[0], self.names) if len(indices) == 1 else None)
                inside = {**bound, **{name: Name(f"i{len(bound) + at}…") for at, name in enumerate(indices)}}
                first = low or (ONE if indices else None)
                low_, high_, without_ = (part and self._node(part, bound) for part in (first, high, without))
                made = self._node(body, inside)
                renamed = tuple(f"i{len(bound) + at}…" for at in range(len(indices)))
                return Sum(renamed, low_, high_, relation, made, without_)
            case Subscript(of, (row,)) if (found := _column_of(of)) and shape(found[0], self.names) == "matrix":
                return self._opaque(Subscript(found[0], (row, found[1])), bound)
            case Derivative(of, by):
                return Derivative(
                    self._node(of, bound), with_children(by, [self._bound(part, bound) for part in children(by)])
                )
        return self._folded(with_children(node, [self._node(child, bound) for child in children(node)]))

    def _bound(self, node: Node, bound: Mapping[str, Node]) -> Node:
        return bound.get(node.name, node) if isinstance(node, Name) else node

    def _folded(self, node: Node) -> Node:
        """The name that is defined as ``node``: p for softmax(s)."""
        if isinstance(node, FunctionCall):
            for name, declared in self.names.declared.items():
                if isinstance(declared, Definition) and declared.parameter is None and declared.formula == node:
                    return Name(name)
        return node


def _range(body: Node, index: str, names: Declarations) -> Node | None:
    """How far an index runs that is an index of declared symbols in ``body``; None if that is not clear."""
    indexed = [part for part in walk(body) if isinstance(part, Subscript)]
    axes = [axis for part in indexed for axis in zip(part.at, _sizes(part.of, names), strict=False)]
    found = {size for at, size in axes if at == Name(index)}
    return found.pop() if len(found) == 1 else None


def _column_of(node: Node) -> tuple[Node, Node] | None:
    """The matrix and the column if ``node`` is a column of a matrix: A (B e_j) is column j of A B."""
    if isinstance(node, Times) and node.rest[-1][0] == " ":
        front, last = product_of([(" ", node.first), *node.rest[:-1]]), node.rest[-1][1]
        match last:
            case FunctionCall("onehot", (column, *_)):
                return front, column
            case Times() if found := _column_of(last):
                return product_of([(" ", node.first), *node.rest[:-1], (" ", found[0])]), found[1]
    return None


def _raised(base: Polynomial, exponent: Fraction) -> Polynomial:
    """A power of a polynomial: multiplied out if it is whole, with the powers of a single term multiplied."""
    if not exponent:
        return _number(1)
    if len(base) == 1:
        ((monomial, number),) = base.items()
        root = _root(number, exponent)
        if root is not None:
            return {_monomial({atom: power * exponent for atom, power in monomial}): root}
    if exponent.denominator == 1 and exponent > 0:
        return _power_of(base, int(exponent))
    if not base:
        raise ZeroDivisionError
    # The same sum is the same atom, whatever stands before it.
    shared = common_factor(base)
    leading = next(iter(sorted(base.items(), key=lambda term: repr(term[0]))))[1]
    inverse = {_monomial({atom: -power for atom, power in shared}): 1 / leading}
    outside = _root(leading, exponent)
    if outside is None:
        return _atom(_tree(base), exponent)
    rest = _multiply(base, inverse)
    powers = {_monomial({atom: power * exponent for atom, power in shared}): outside}
    return _multiply(powers, _atom(_tree(rest), exponent)) if rest != _number(1) else powers


def _root(number: Fraction, exponent: Fraction) -> Fraction | None:
    """``number`` to the power ``exponent`` if it is rational."""
    if exponent.denominator == 1:
        return number**exponent.numerator
    return Fraction(1) if number == 1 else None


def _scaled(factor: Polynomial, core: Node) -> Node:
    """``factor`` times ``core``, with a minus sign outside."""
    if factor == _number(1):
        return core
    if factor == _number(-1):
        return Plus(((True, core),))
    if len(factor) == 1 and next(iter(factor.values())) < 0:
        return Plus(((True, _scaled({monomial: -number for monomial, number in factor.items()}, core)),))
    scalar = _tree(factor)
    plain = isinstance(scalar, Times) and all(sign in (" ", "/") for sign, _ in scalar.rest)
    first = [(" ", scalar.first), *scalar.rest] if isinstance(scalar, Times) and plain else [(" ", scalar)]
    inner = [(" ", core.first), *core.rest] if isinstance(core, Times) and _associative(core) else [(" ", core)]
    return product_of([*first, *inner])


def _associative(node: Node) -> bool:
    return isinstance(node, Times) and all(sign in (" ", "@", "*") for sign, _ in node.rest)


def _inner_product(core: list[tuple[Sign, Node]], names: Declarations) -> Node:
    """A product of vectors and matrices that is a number; that of two vectors alone in one order, with a dot."""
    dots = [place for place, (sign, _) in enumerate(core) if sign == "·"]
    turned = len(core) == 2 and isinstance(core[0][1], Transpose)
    if not dots and not turned:
        return product_of(core)
    place = dots[-1] if dots else 1
    left = product_of(core[:place])
    if turned and isinstance(left, Transpose) and not dots:
        if isinstance(left.of, Times) or isinstance(core[1][1], Times):
            return product_of(core)
        left = left.of
    right = product_of([(" ", core[place][1]), *core[place + 1 :]])
    one, other = sorted((left, right), key=_key)
    return Times(one, (("·", other),))

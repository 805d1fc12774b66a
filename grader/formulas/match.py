"""Pattern matching in formulas, up to the order of factors and terms and the names of indices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from grader.formulas.ast import (
    FunctionCall,
    Name,
    Node,
    Number,
    Plus,
    Power,
    Subscript,
    Sum,
    Times,
    Transpose,
    Wildcard,
    children,
    walk,
    with_children,
)
from grader.formulas.declarations import Declarations, Rotation

#: Index of the pattern → the index it matched.
Indices: TypeAlias = Mapping[str, Node]
#: Terms, flagged if subtracted, or factors, flagged if they divide.
Flagged: TypeAlias = tuple[tuple[bool, Node], ...]

_MOST_TRIES = 3000


def contains(node: Node, pattern: Node, names: Declarations) -> bool:
    """Whether some part of ``node`` matches ``pattern``; that part may have further factors and terms."""
    matcher, wanted = _Matcher(names), canonical(pattern, names)
    return any(
        next(matcher.matches(part, wanted, {}, part_of=True), None) is not None for part in walk(canonical(node, names))
    )


def is_whole(node: Node, pattern: Node, names: Declarations, free_of: Collection[str]) -> bool:
    """Whether all of ``node`` matches ``pattern``, and no ``?`` stands for something with a name in ``free_of``."""
    matcher = _Matcher(names, frozenset(free_of))
    return next(matcher.matches(canonical(node, names), canonical(pattern, names), {}), None) is not None


def canonical(node: Node, names: Declarations) -> Node:
    """``node`` with every inner product of two vectors as q·k, and nested products flattened."""
    if turned := _turned(node, names):
        return turned
    if inner := _inner(node, names):
        return Times(canonical(inner[0], names), (("·", canonical(inner[1], names)),))
    made = with_children(node, [canonical(child, names) for child in children(node)])
    return _flattened(made) if isinstance(made, Times) else made


def _turned(node: Node, names: Declarations) -> Node | None:
    """A rotation of a declared family as R_m, if it is written as rot(mθ), R(mθ) or R_{mθ}; R_m⁻¹ as R_mᵀ."""
    match node:
        case Power(base, exponent) if _is_minus_one(exponent) and isinstance(base, (Subscript, FunctionCall)):
            rotation = _turned(base, names) or base
            turns = isinstance(rotation, Subscript) and _family(rotation.of, names) is not None
            return Transpose(canonical(rotation, names)) if turns else None
        case Subscript(Name(_) as family, (angle,)):
            pass
        case FunctionCall("rot", (angle,)):
            families = [Name(name) for name, found in names.declared.items() if isinstance(found, Rotation)]
            if len(families) != 1:
                return None
            family = families[0]
        case _:
            return None
    unit = _family(family, names)
    steps = _without_factor(angle, unit) if unit else None
    return Subscript(family, (steps,)) if steps else None


def _family(node: Node, names: Declarations) -> Name | None:
    """The angle of a declared family of rotations, if ``node`` names one and its angle is a symbol."""
    declared = names.declared.get(node.name) if isinstance(node, Name) else None
    return declared.angle if isinstance(declared, Rotation) and isinstance(declared.angle, Name) else None


def _is_minus_one(node: Node) -> bool:
    return node in (Number(Fraction(-1)), Plus(((True, Number(Fraction(1))),)))


def _without_factor(node: Node, factor: Name) -> Node | None:
    """``node`` divided by ``factor``, if that is a factor of each of its terms."""
    match node:
        case Name() if node == factor:
            return Number(Fraction(1))
        case Plus(terms):
            found = [_without_factor(term, factor) for _, term in terms]
            shorter = tuple((minus, term) for (minus, _), term in zip(terms, found, strict=True) if term is not None)
            return Plus(shorter) if len(shorter) == len(terms) else None
        case Times(first, rest) if all(sign in (" ", "*", "·") for sign, _ in rest):
            factors = [first, *(each for _, each in rest)]
            if factor not in factors:
                return None
            factors.remove(factor)
            signed = tuple((sign, each) for (sign, _), each in zip(rest[1:], factors[1:], strict=True))
            return Times(factors[0], signed) if signed else factors[0]
    return None


def _flattened(product: Times) -> Times:
    """The product without nested products, as far as brackets do not matter."""
    inner = product.first
    head, factors = (inner.first, [*inner.rest]) if isinstance(inner, Times) else (inner, [])
    for sign, factor in product.rest:
        if isinstance(factor, Times) and sign not in ("/", "⊙", "⊗") and all(other == " " for other, _ in factor.rest):
            factors += [(sign, factor.first), *factor.rest]
        else:
            factors.append((sign, factor))
    return Times(head, tuple(factors))


def _inner(node: Node, names: Declarations) -> tuple[Node, Node] | None:
    """The two vectors if ``node`` is an inner product written with a sum or a transpose; else None."""
    match node:
        case Sum(
            indices=(index,), body=Times(Subscript(one, (Name(a),)), ((" " | "*" | "·", Subscript(two, (Name(b),))),))
        ):
            return (one, two) if a == b == index else None
        case Sum(indices=(), body=Times(one, (("*" | "⊙", two),))):
            return one, two
        case Times(Transpose(one), ((" " | "@" | "*" | "·", two),)):
            return (one, two) if _vector(one, names) and _vector(two, names) else None
    return None


def _vector(node: Node, names: Declarations) -> bool:
    return isinstance(node, Name) and names.vocabulary.kinds.get(node.name) == "vector"


class _Matcher:
    """Matches nodes against patterns; gives up after ``_MOST_TRIES`` comparisons."""

    def __init__(self, names: Declarations, free_of: frozenset[str] = frozenset()) -> None:
        self.names = names
        self.free_of = free_of
        self.tries = _MOST_TRIES

    def matches(self, node: Node, pattern: Node, indices: Indices, *, part_of: bool = False) -> Iterator[Indices]:
        """Every assignment of indices for which ``node`` matches ``pattern``.

        With ``part_of``, ``node`` may have further factors or terms.
        """
        self.tries -= 1
        if self.tries < 0:
            return
        match pattern, node:
            case Wildcard(), _:
                if not self.free_of & names_in(node):
                    yield indices
            case Name(name), _ if name in indices:
                if indices[name] == node:
                    yield indices
            case Plus(wanted), Plus(terms):
                yield from self.some(terms, wanted, indices, part_of=part_of)
            case Times(), Times():
                yield from self.factors(node, pattern, indices, part_of=part_of)
            case Sum(bound, _, _, relation, body), Sum(others, _, _, other_relation, other_body):
                if len(bound) == len(others) and relation == other_relation:
                    renamed = {**indices, **{one: Name(other) for one, other in zip(bound, others, strict=True)}}
                    yield from self.matches(other_body, body, renamed)
            case Subscript(of, at), Subscript(other, other_at) if len(at) == len(other_at):
                for found in self.matches(other, of, indices):
                    yield from self.subscripts(other_at, at, found)
            case _ if type(node) is type(pattern) and _head(node) == _head(pattern):
                yield from self.below(node, pattern, indices)

    def factors(self, node: Times, pattern: Times, indices: Indices, *, part_of: bool) -> Iterator[Indices]:
        """The factors of ``pattern`` among those of ``node``. An inner product only matches an inner product."""
        mine, wanted = (
            tuple((sign == "/", factor) for sign, factor in ((" ", product.first), *product.rest))
            for product in (node, pattern)
        )
        inner, dotted = (any(sign == "·" for sign, _ in product.rest) for product in (pattern, node))
        if dotted or not (inner and any(_vector(factor, self.names) for _, factor in wanted)):
            yield from self.some(mine, wanted, indices, part_of=part_of)

    def below(self, node: Node, pattern: Node, indices: Indices) -> Iterator[Indices]:
        """Two nodes of the same type: their children, pairwise."""
        nodes, patterns = children(node), children(pattern)
        if patterns and len(nodes) == len(patterns):
            yield from self.all(nodes, patterns, indices)
        elif node == pattern:
            yield indices

    def subscripts(self, at: tuple[Node, ...], wanted: tuple[Node, ...], indices: Indices) -> Iterator[Indices]:
        """Subscripts: an undeclared letter of the pattern stands for any index."""
        if not wanted:
            yield indices
            return
        first = wanted[0]
        if isinstance(first, Name) and first.name not in self.names.declared and first.name not in indices:
            yield from self.subscripts(at[1:], wanted[1:], {**indices, first.name: at[0]})
            return
        for found in self.matches(at[0], first, indices):
            yield from self.subscripts(at[1:], wanted[1:], found)

    def all(self, nodes: tuple[Node, ...], patterns: tuple[Node, ...], indices: Indices) -> Iterator[Indices]:
        """Each node against the pattern at the same position."""
        if not patterns:
            yield indices
            return
        for found in self.matches(nodes[0], patterns[0], indices):
            yield from self.all(nodes[1:], patterns[1:], found)

    def some(self, parts: Flagged, wanted: Flagged, indices: Indices, *, part_of: bool) -> Iterator[Indices]:
        """Each wanted part among ``parts``, in any order; parts that are left over need ``part_of``."""
        if not wanted:
            if part_of or not parts:
                yield indices
            return
        if len(wanted) > len(parts) or (len(wanted) < len(parts) and not part_of):
            return
        (flag, pattern), rest = wanted[0], wanted[1:]
        for place, (mine, part) in enumerate(parts):
            if mine == flag:
                for found in self.matches(part, pattern, indices):
                    yield from self.some((*parts[:place], *parts[place + 1 :]), rest, found, part_of=part_of)


def names_in(node: Node) -> set[str]:
    """The names in a formula, those of indices included."""
    return {part.name for part in walk(node) if isinstance(part, Name)}


def _head(node: Node) -> object:
    match node:
        case FunctionCall(function):
            return function
        case Name(name):
            return name
    return None

"""Whether a formula contains another one as written, up to the order of factors and terms and the names of indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from grader.course.formulas.ast import (
    Call,
    Derivative,
    ListNode,
    Name,
    Node,
    Plus,
    Power,
    Sign,
    Subscript,
    Sum,
    Times,
    Transpose,
    Wildcard,
    children,
    walk,
)
from grader.course.formulas.declarations import Declarations

#: Index of the pattern → what stands there.
Indices: TypeAlias = Mapping[str, Node]

_MOST_TRIES = 3000


def contains(node: Node, pattern: Node, names: Declarations) -> bool:
    """Whether some part of ``node`` is what ``pattern`` says; factors and terms may stand beside it."""
    pattern = canonical(pattern, names)
    tries = [_MOST_TRIES]
    return any(
        next(_matches(part, pattern, {}, names, tries, part_of=True), None) is not None
        for part in walk(canonical(node, names))
    )


def canonical(node: Node, names: Declarations) -> Node:
    """``node`` with each inner product of two vectors in one form, q·k, and without juxtaposition."""
    if inner := _inner(node, names):
        return Times(canonical(inner[0], names), (("·", canonical(inner[1], names)),))
    match node:
        case Plus(terms):
            return Plus(tuple((minus, canonical(term, names)) for minus, term in terms))
        case Times(first, rest):
            factors: list[tuple[Sign, Node]] = []
            for sign, factor in rest:
                inner_factor = canonical(factor, names)
                plain = isinstance(inner_factor, Times) and all(other == " " for other, _ in inner_factor.rest)
                if isinstance(inner_factor, Times) and plain and sign not in ("/", "⊙", "⊗"):
                    factors += [(sign, inner_factor.first), *inner_factor.rest]
                else:
                    factors.append((sign, inner_factor))
            head = canonical(first, names)
            if isinstance(head, Times):
                factors = [*head.rest, *factors]
                head = head.first
            return Times(head, tuple(factors))
        case Power(base, exponent):
            return Power(canonical(base, names), canonical(exponent, names))
        case Transpose(of):
            return Transpose(canonical(of, names))
        case Subscript(of, at):
            return Subscript(canonical(of, names), tuple(canonical(part, names) for part in at))
        case ListNode(items):
            return ListNode(tuple(canonical(item, names) for item in items))
        case Call(function, args):
            return Call(function, tuple(canonical(arg, names) for arg in args))
        case Sum(indices, low, high, relation, body):
            return Sum(indices, low, high, relation, canonical(body, names))
        case Derivative(of, by):
            return Derivative(canonical(of, names), by)
    return node


def _inner(node: Node, names: Declarations) -> tuple[Node, Node] | None:
    """The vectors of which ``node`` is the inner product, where it is written with a sum or a transposition."""
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


def _matches(
    node: Node, pattern: Node, indices: Indices, names: Declarations, tries: list[int], part_of: bool = False
) -> Iterator[Indices]:
    """Every way in which ``node`` can be read as ``pattern``."""
    tries[0] -= 1
    if tries[0] < 0:
        return
    match pattern, node:
        case Wildcard(), _:
            yield indices
        case Name(name), _ if name in indices:
            if indices[name] == node:
                yield indices
        case Plus(wanted), Plus(terms) if len(wanted) <= len(terms):
            refused = len(wanted) < len(terms) and not part_of
            yield from _some(terms, wanted, indices, names, tries, refused)
        case Times(head, rest), Times(other_head, other_rest):
            mine = [(sign == "/", factor) for sign, factor in ((" ", other_head), *other_rest)]
            factors = [(sign == "/", factor) for sign, factor in ((" ", head), *rest)]
            dotted = any(sign == "·" for sign, _ in rest) and any(_vector(factor, names) for _, factor in factors)
            if dotted and not any(sign == "·" for sign, _ in other_rest):
                return
            if len(factors) <= len(mine):
                refused = len(factors) < len(mine) and not part_of
                yield from _some(tuple(mine), tuple(factors), indices, names, tries, refused)
        case Sum(bound, _, _, relation, body), Sum(others, _, _, other_relation, other_body):
            if len(bound) == len(others) and relation == other_relation:
                renamed = {**indices, **{one: Name(other) for one, other in zip(bound, others, strict=True)}}
                yield from _matches(other_body, body, renamed, names, tries)
        case Subscript(of, at), Subscript(other, other_at) if len(at) == len(other_at):
            for found in _matches(other, of, indices, names, tries):
                yield from _at(other_at, at, found, names, tries)
        case _, _ if type(node) is type(pattern) and _head(node) == _head(pattern):
            below, found_below = children(pattern), children(node)
            if len(below) == len(found_below):
                if below:
                    yield from _all(found_below, below, indices, names, tries)
                elif node == pattern:
                    yield indices


def _head(node: Node) -> object:
    match node:
        case Call(function):
            return function
        case Name(name):
            return name
    return None


def _at(
    at: tuple[Node, ...], wanted: tuple[Node, ...], indices: Indices, names: Declarations, tries: list[int]
) -> Iterator[Indices]:
    """Indices: a letter of the pattern that nobody declared stands for any one."""
    if not wanted:
        yield indices
        return
    first = wanted[0]
    if isinstance(first, Name) and first.name not in names.declared and first.name not in indices:
        yield from _at(at[1:], wanted[1:], {**indices, first.name: at[0]}, names, tries)
        return
    for found in _matches(at[0], first, indices, names, tries):
        yield from _at(at[1:], wanted[1:], found, names, tries)


def _all(
    nodes: tuple[Node, ...], patterns: tuple[Node, ...], indices: Indices, names: Declarations, tries: list[int]
) -> Iterator[Indices]:
    if not patterns:
        yield indices
        return
    for found in _matches(nodes[0], patterns[0], indices, names, tries):
        yield from _all(nodes[1:], patterns[1:], found, names, tries)


def _some(
    parts: tuple[tuple[bool, Node], ...],
    wanted: tuple[tuple[bool, Node], ...],
    indices: Indices,
    names: Declarations,
    tries: list[int],
    refused: bool,
) -> Iterator[Indices]:
    """Each wanted part among ``parts``, in any order; ``refused`` when there are too many of them."""
    if refused:
        return
    if not wanted:
        yield indices
        return
    (flag, pattern), rest = wanted[0], wanted[1:]
    for place, (mine, part) in enumerate(parts):
        if mine == flag:
            for found in _matches(part, pattern, indices, names, tries):
                yield from _some((*parts[:place], *parts[place + 1 :]), rest, found, names, tries, False)

"""A formula as a frozen tree, made by ``parse`` and given a value by ``evaluate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

#: What joins factors: ``*`` (or ×), ``·``, ``@``, ``⊙`` (elementwise), ``⊗`` (outer), ``/``, `` `` (side by side).
Sign: TypeAlias = Literal["*", "·", "@", "⊙", "⊗", "/", " "]


@dataclass(frozen=True, slots=True)
class Number:
    """A number, exactly as written."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """A declared symbol, or the index of a sum."""

    name: str


@dataclass(frozen=True, slots=True)
class Plus:
    """A sum of terms; those whose flag is true are subtracted."""

    terms: tuple[tuple[bool, Node], ...]


@dataclass(frozen=True, slots=True)
class Times:
    """A product: ``first``, then what multiplies or divides it, from left to right."""

    first: Node
    rest: tuple[tuple[Sign, Node], ...]


@dataclass(frozen=True, slots=True)
class Power:
    """A power: ``base`` to the ``exponent``."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Transpose:
    """A transpose: ``Kᵀ``."""

    of: Node


@dataclass(frozen=True, slots=True)
class Subscript:
    """Components: ``q_i``, ``Q_ij``, counted from 1."""

    of: Node
    at: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ListNode:
    """A vector written as its components, or a matrix as its rows."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A built-in or declared function applied to ``args``."""

    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Σ over ``indices`` of ``body``, from ``low`` to ``high`` (None: the length of what they index).

    ``relation`` holds between two indices: ``≠`` or ``<``. Without indices, the sum is over the components.
    ``without`` is the second of them if it stands outside the sum, too: j in p_j + Σ_{k≠j} p_k.
    """

    indices: tuple[str, ...]
    low: Node | None
    high: Node | None
    relation: Literal["", "≠", "<"]
    body: Node
    without: Node | None = None


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of ``of`` with respect to the symbol (or component) ``by``."""

    of: Node
    by: Node


Node: TypeAlias = (
    Number | Name | Plus | Times | Power | Transpose | Subscript | ListNode | FunctionCall | Sum | Derivative
)

#: The imaginary unit; nobody can type this name.
IMAGINARY = Name("ⅈ")

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))

#: A vector of ones, as long as it has to be.
SOME_ONES = FunctionCall("ones", ())


def children(node: Node) -> tuple[Node, ...]:
    """The direct children of ``node``."""
    match node:
        case Plus(terms):
            return tuple(term for _, term in terms)
        case Times(first, rest):
            return (first, *(factor for _, factor in rest))
        case Power(base, exponent):
            return (base, exponent)
        case Transpose(of):
            return (of,)
        case Subscript(of, at):
            return (of, *at)
        case ListNode(found) | FunctionCall(_, found):
            return found
        case Sum(_, low, high, _, body, without):
            return (*(part for part in (low, high, without) if part is not None), body)
        case Derivative(of, by):
            return (of, by)
    return ()


def with_children(node: Node, found: Sequence[Node]) -> Node:
    """``node`` with other children, as many as ``children(node)`` and in the same order."""
    match node:
        case Plus(terms):
            return Plus(tuple((minus, term) for (minus, _), term in zip(terms, found, strict=True)))
        case Times(_, rest):
            return Times(found[0], tuple((sign, factor) for (sign, _), factor in zip(rest, found[1:], strict=True)))
        case Power() | Transpose() | Derivative():
            return type(node)(*found)
        case Subscript():
            return Subscript(found[0], tuple(found[1:]))
        case ListNode():
            return ListNode(tuple(found))
        case FunctionCall(function):
            return FunctionCall(function, tuple(found))
        case Sum(indices, low, high, relation, _, without):
            others = iter(found[:-1])
            low, high, without = (part and next(others) for part in (low, high, without))
            return Sum(indices, low, high, relation, found[-1], without)
    return node


def product_of(factors: list[tuple[Sign, Node]]) -> Node:
    """A product of ``factors`` in this order; 1 if there are none."""
    if not factors:
        return ONE
    if factors[0][0] == "/":
        factors = [(" ", ONE), *factors]
    return Times(factors[0][1], tuple(factors[1:])) if len(factors) > 1 else factors[0][1]


def sum_of(terms: list[tuple[bool, Node]]) -> Node:
    """A sum of ``terms``, those whose flag is true being subtracted; 0 if there are none."""
    if not terms:
        return ZERO
    return terms[0][1] if len(terms) == 1 and not terms[0][0] else Plus(tuple(terms))


def replaced(node: Node, by: Mapping[Node, Node]) -> Node:
    """``node`` with what ``by`` has for its parts."""
    if node in by:
        return by[node]
    below = children(node)
    return with_children(node, [replaced(child, by) for child in below]) if below else node


def walk(node: Node) -> Iterator[Node]:
    """``node`` and all its descendants."""
    yield node
    for child in children(node):
        yield from walk(child)


def free_names(node: Node) -> Iterator[str]:
    """The names in ``node`` that no sum in it runs over."""
    if isinstance(node, Name):
        yield node.name
    summed = node.indices if isinstance(node, Sum) else ()
    for child in children(node):
        yield from (name for name in free_names(child) if name not in summed)

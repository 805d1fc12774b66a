"""A formula as a frozen tree. What each node means is said in ``values``; how it is written, in ``parse``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

#: ``*`` as written (or ×), ``·``, ``@``, ``⊙`` (elementwise), ``⊗`` (outer), ``/``, and `` `` for juxtaposition.
Sign: TypeAlias = Literal["*", "·", "@", "⊙", "⊗", "/", " "]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, exactly."""

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
    """``first``, then what multiplies or divides it, from left to right."""

    first: Node
    rest: tuple[tuple[Sign, Node], ...]


@dataclass(frozen=True, slots=True)
class Power:
    """``base`` to the ``exponent``."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Transpose:
    """``Kᵀ``."""

    of: Node


@dataclass(frozen=True, slots=True)
class Subscript:
    """``q_i``, ``Q_ij``: counted from 1."""

    of: Node
    at: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ListNode:
    """A vector by its components, or a matrix by its rows."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of this language, or a declared map or family of rotations, at ``args``."""

    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Σ over ``indices`` of ``body``, from ``low`` to ``high`` (None: as far as what they index goes).

    ``relation`` relates two indices: ``≠`` or ``<``. Without indices: over the free index, or the components.
    """

    indices: tuple[str, ...]
    low: Node | None
    high: Node | None
    relation: Literal["", "≠", "<"]
    body: Node


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of ``of`` by the symbol (or component) ``by``."""

    of: Node
    by: Node


@dataclass(frozen=True, slots=True)
class Wildcard:
    """``?`` in a pattern of an author: any expression."""


Node: TypeAlias = (
    Number | Name | Plus | Times | Power | Transpose | Subscript | ListNode | Call | Sum | Derivative | Wildcard
)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below ``node``."""
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
        case ListNode(found) | Call(_, found):
            return found
        case Sum(_, low, high, _, body):
            return (*(bound for bound in (low, high) if bound is not None), body)
        case Derivative(of, by):
            return (of, by)
    return ()


def with_children(node: Node, found: Sequence[Node]) -> Node:
    """``node`` with ``found`` for its children: as many as ``children(node)`` has, in the same order."""
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
        case Call(function):
            return Call(function, tuple(found))
        case Sum(indices, low, high, relation, _):
            bounds = iter(found[:-1])
            low, high = (bound and next(bounds) for bound in (low, high))
            return Sum(indices, low, high, relation, found[-1])
    return node


def walk(node: Node) -> Iterator[Node]:
    """``node`` and everything below it."""
    yield node
    for child in children(node):
        yield from walk(child)

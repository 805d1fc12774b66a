"""Limits of difference quotients: ``lim_{t→0} (F(x + t v) − F(x))/t`` is ``∂F(x)/∂x v``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.core.model import Message
from grader.formulas import ast as nodes
from grader.formulas.ast import Node
from grader.formulas.errors import ParseError

_QUOTIENT = Message("Only limits of difference quotients are read: `lim_(t→0) (F(x + t v) − F(x))/t`.")


def derivative_at_zero(quotient: Node, step: nodes.Name, by: nodes.Name) -> Node:
    """The limit of ``quotient``, in which ``step`` goes to 0, by derivatives with respect to ``by``.

    Each term that moves has a derivative of its own, unless the quotient is all of ``(f(x + t v) − f(x))/t``. Raises
    ParseError if it is no difference quotient.
    """
    factors = list(_factors(quotient))
    above = [factor for factor in factors if factor != ("/", step)]
    if len(above) + 1 != len(factors) or any(sign == "/" and step in nodes.walk(factor) for sign, factor in above):
        raise ParseError(_QUOTIENT)
    terms = list(_terms(nodes.product_of([factor for factor in above if factor[1] != nodes.ONE]), minus=False))
    slopes: list[tuple[bool, Node]] = []
    balance: Counter[Node] = Counter()
    for minus, term in terms:
        start, slope = _moving(term, step, by) if step in nodes.walk(term) else (term, None)
        if start is not None:
            balance[start] += -1 if minus else 1
        if slope is not None:
            slopes.append((minus, slope))
    if any(balance.values()):
        raise ParseError(_QUOTIENT)
    return _together([term for minus, term in terms if minus], slopes, by) or nodes.sum_of(slopes)


def _together(taken: list[Node], slopes: list[tuple[bool, Node]], by: nodes.Name) -> Node | None:
    """The derivative of the sum of the terms ``taken`` away if ``slopes`` are theirs, and one of them is ``by``."""
    steps = [slope for minus, slope in slopes if not minus and not isinstance(slope, nodes.Times)]
    if by not in taken or len(steps) != 1:
        return None
    own = [(False, steps[0] if term == by else _along(term, steps[0], by)) for term in taken]
    whole = nodes.sum_of([(False, term) for term in taken])
    return _along(whole, steps[0], by) if Counter(own) == Counter(slopes) else None


def _along(of: Node, direction: Node, by: nodes.Name) -> Node:
    """The derivative of ``of`` in a direction."""
    sign: nodes.Sign = "·" if isinstance(of, nodes.Subscript) else " "
    return nodes.Times(nodes.Derivative(of, by), ((sign, direction),))


def _moving(term: Node, step: nodes.Name, by: nodes.Name) -> tuple[Node | None, Node]:
    """The value of a term for ``step`` = 0 (None for 0) and its derivative there. Raises ParseError."""
    match term:
        case nodes.FunctionCall(function, (nodes.Plus(parts),)) | nodes.Subscript(
            nodes.FunctionCall(function, (nodes.Plus(parts),))
        ):
            moved = [part for part in parts if step in nodes.walk(part[1])]
            direction = nodes.sum_of([(minus, _without(part, step)) for minus, part in moved])
            if [part for part in parts if part not in moved] != [(False, by)]:
                raise ParseError(_QUOTIENT)
            start: Node = nodes.FunctionCall(function, (by,))
            start = nodes.Subscript(start, term.at) if isinstance(term, nodes.Subscript) else start
            return start, _along(start, direction, by)
    return None, _without(term, step)


def _without(term: Node, step: nodes.Name) -> Node:
    """A product without its factor ``step``. Raises ParseError if it has none, or is not linear in it."""
    factors = list(_factors(term))
    rest = [factor for factor in factors if factor[1] != step]
    if len(rest) + 1 != len(factors) or ("/", step) in factors or any(step in nodes.walk(factor) for _, factor in rest):
        raise ParseError(_QUOTIENT)
    return nodes.product_of(rest)


def _factors(node: Node) -> Iterator[tuple[nodes.Sign, Node]]:
    if isinstance(node, nodes.Times):
        yield from _factors(node.first)
        yield from node.rest
    else:
        yield " ", node


def _terms(node: Node, *, minus: bool) -> Iterator[tuple[bool, Node]]:
    if isinstance(node, nodes.Plus):
        for negative, term in node.terms:
            yield from _terms(term, minus=minus != negative)
    elif not isinstance(node, nodes.Number) or node.value:
        yield minus, node

"""Differentials: ``d(p·v) = vᵀ dp`` says what ``∂(p·v)/∂q`` is, for both sides are linear in ``dq``.

In a tree, the differential of x is the function d of x, which nobody can type otherwise.
"""

from __future__ import annotations

import contextlib
import string
from collections.abc import Sequence

from grader.core.model import Message
from grader.formulas import ast as nodes
from grader.formulas.ast import Node
from grader.formulas.declarations import Declarations
from grader.formulas.errors import ParseError
from grader.formulas.flat import shape
from grader.formulas.printer import show

_IDENTITY = nodes.Name("I")
_NOT_LINEAR = Message("each term needs exactly one factor such as ${by}$.")


def derivative_of(node: Node, by: Node, names: Declarations) -> Node:
    """What stands before ``d by`` in ``node``; a ``node`` without differentials stays as it is.

    The derivative of a number is its gradient, or the component of it with a free index, if the differential is
    written in components: ``Σ_k p_k dz_k`` becomes ``p_i``. Raises ParseError if ``node`` is not linear in ``d by``.
    """
    if not _differentials(node):
        return node
    index = next(name for name in string.ascii_lowercase[8:] if name not in names.declared)
    for at in (None, nodes.Name(index)):
        with contextlib.suppress(_NotLinearError):
            return _Linear(by, names, at)(node)
    raise ParseError(_NOT_LINEAR.fill(by=show(nodes.FunctionCall("d", (by,)))))


class _NotLinearError(Exception):
    """Some term has no differential, or more than one."""


def _differentials(node: Node) -> list[nodes.FunctionCall]:
    return [part for part in nodes.walk(node) if isinstance(part, nodes.FunctionCall) and part.function == "d"]


class _Linear:
    """Finds the factor of ``d by`` or, with ``at``, its component with this index."""

    def __init__(self, by: Node, names: Declarations, at: nodes.Name | None = None) -> None:
        self.by = by
        self.names = names
        self.at = at

    def __call__(self, node: Node) -> Node:
        match node:
            case nodes.FunctionCall("d", (of,)):
                return self._differential(of)
            case nodes.Plus(terms):
                return nodes.Plus(tuple((minus, self(term)) for minus, term in terms))
            case nodes.Transpose(of):
                return self(of)
            case nodes.Sum():
                return self._sum(node)
            case nodes.Times(first, rest):
                return self._product([(" ", first), *rest])
        raise _NotLinearError

    def _differential(self, of: Node) -> Node:
        if isinstance(of, nodes.Transpose):
            return self._differential(of.of)
        if of == self.by and self.at is None:
            return _IDENTITY if self._shape(of) == "column" else nodes.ONE
        if isinstance(of, nodes.Subscript) and of.of == self.by:
            return nodes.FunctionCall("delta", (self.at, *of.at)) if self.at else nodes.FunctionCall("onehot", of.at)
        return nodes.Derivative(of, nodes.Subscript(self.by, (self.at,)) if self.at else self.by)

    def _sum(self, node: nodes.Sum) -> Node:
        """A sum over the components of ``d by`` has one term for each component of the gradient."""
        over = {found.args[0] for found in _differentials(node.body)}
        indices = {nodes.Subscript(self.by, (nodes.Name(index),)) for index in node.indices}
        if not indices and self._shape(node.body) == "column":
            return self._dot(nodes.SOME_ONES, node.body)
        if not over & indices:
            return nodes.with_children(node, [*nodes.children(node)[:-1], self(node.body)])
        if self.at is None or len(over) > 1 or len(indices) > 1 or node.relation or node.without:
            raise _NotLinearError
        return _renamed(self(node.body), nodes.Name(node.indices[0]), self.at)

    def _product(self, factors: Sequence[tuple[nodes.Sign, Node]]) -> Node:
        places = [at for at, (_, factor) in enumerate(factors) if _differentials(factor)]
        if len(places) != 1 or factors[places[0]][0] == "/":
            raise _NotLinearError
        place = places[0]
        (sign, linear), before, after = factors[place], [*factors[:place]], [*factors[place + 1 :]]
        if self._shape(linear) == "number":
            return self._scaled(before, linear, after)
        following = after[0][0] if after else ""
        if before and sign == "·":
            return nodes.product_of([(" ", self._dot(nodes.product_of(before), linear)), *after])
        if following == "·" or (after and self._shape(linear) == "row"):
            return self._dot(
                nodes.product_of([(" ", part[1]) if at == 0 else part for at, part in enumerate(after)]), linear
            )
        if sign in ("⊙", "*") and before and self._shape(nodes.product_of(before)) == "column":
            before, sign = [(" ", nodes.FunctionCall("diag", (nodes.product_of(before),)))], " "
        elif following == "⊙" or any(self._shape(part) != "number" for _, part in after):
            raise _NotLinearError
        found = self(linear)
        inner = [] if found == _IDENTITY and before else [(sign, found)]
        return nodes.product_of([*before, *inner, *after])

    def _scaled(
        self, before: Sequence[tuple[nodes.Sign, Node]], linear: Node, after: Sequence[tuple[nodes.Sign, Node]]
    ) -> Node:
        """A number that is linear in ``d by``, times numbers or a vector."""
        gradient = self(linear)
        outer = self.at is None and any(self._shape(part) == "column" for _, part in before)
        return nodes.product_of([*before, ("⊗" if outer else " ", gradient), *after])

    def _dot(self, vector: Node, linear: Node) -> Node:
        """The gradient of ``vector · linear``."""
        if self.at is not None:
            if _plain(linear) not in (self.by, nodes.Transpose(self.by)):
                raise _NotLinearError
            return nodes.Subscript(vector, (self.at,))
        found = self(linear)
        return vector if found == _IDENTITY else nodes.Times(nodes.Transpose(found), ((" ", vector),))

    def _shape(self, node: Node) -> str:
        return shape(_plain(node), self.names)


def _plain(node: Node) -> Node:
    """``node`` with what a differential is of in place of the differential, which has the same shape."""
    if isinstance(node, nodes.FunctionCall) and node.function == "d":
        return _plain(node.args[0])
    below = nodes.children(node)
    return nodes.with_children(node, [_plain(child) for child in below]) if below else node


def _renamed(node: Node, old: nodes.Name, new: nodes.Name) -> Node:
    """``node`` with another free index. Raises _NotLinearError where a sum binds the new name already."""
    if node == old:
        return new
    if isinstance(node, nodes.Sum):
        if old.name in node.indices:
            return node
        if new.name in node.indices and old in nodes.walk(node.body):
            raise _NotLinearError
    below = nodes.children(node)
    return nodes.with_children(node, [_renamed(child, old, new) for child in below]) if below else node

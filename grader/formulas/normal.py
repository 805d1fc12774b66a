"""A normal form that tells whether a line of a derivation is new, and formulas without their padding.

The normal form ignores what is not a step: the order of factors and terms, brackets that change nothing, numbers that
are multiplied or added out, + 0 and · 1, ``n n`` for ``n²``, and the names of bound indices. Like terms are not
collected, brackets not multiplied out and fractions not cancelled: those are steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from grader.formulas.ast import (
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
    Wildcard,
    children,
    walk,
    with_children,
)
from grader.formulas.declarations import Declarations, Definition

_ZERO, _ONE = Number(Fraction(0)), Number(Fraction(1))
_EACH = ("exp", "log", "log2", "sqrt", "sin", "cos", "sigmoid", "abs")
_NUMBERS = ("E", "Var", "Cov", "mean", "max", "min", "norm", "delta")
_NO_NAMES: Mapping[str, Name] = {}
_LARGEST_POWER = 9


class _Factor(NamedTuple):
    """A factor of a flattened product: the sign before it, whether it divides, and the factor."""

    sign: Sign
    divides: bool
    node: Node


def normal(node: Node, names: Declarations) -> Node:
    """The normal form of ``node``: the same for two formulas that differ in nothing that counts as a step."""
    return _normal(node, names, _NO_NAMES)


def unpadded(node: Node, names: Declarations) -> Node:
    """The normal form of ``node`` without its padding, in which ideas are looked for."""
    return normal(strip_padding(node, names), names)


def strip_padding(node: Node, names: Declarations) -> Node:
    """``node`` without terms that are 0, factors that are 1, and bracketed parts that are added and taken away again.

    Single symbols stay (``s − m + m``): adding and subtracting one can be a step.
    """
    made = with_children(node, [strip_padding(child, names) for child in children(node)])
    if isinstance(made, Plus):
        terms = _without_pairs([term for term in made.terms if not _worth(term[1], Fraction(0), names)])
        if not terms:
            return _ZERO
        return terms[0][1] if len(terms) == 1 and not terms[0][0] else Plus(tuple(terms))
    if isinstance(made, Times):
        signs = [" ", *(sign for sign, _ in made.rest)]
        flagged = [(sign == "/", part) for sign, part in zip(signs, children(made), strict=True)]
        if any(not divides and _worth(part, Fraction(0), names) for divides, part in flagged):
            return _ZERO
        if len(_without_pairs(flagged)) < len(flagged):
            return _product(_without_pairs(flagged))
    return made


def _worth(node: Node, value: Fraction, names: Declarations) -> bool:
    return _normal(node, names, _NO_NAMES) == Number(value)


def _without_pairs(parts: list[tuple[bool, Node]]) -> list[tuple[bool, Node]]:
    """``parts`` without compound ones that are undone by their neighbour: ``+ x − x``, ``· x / x``."""
    kept: list[tuple[bool, Node]] = []
    for flag, part in parts:
        if children(part) and kept and kept[-1] == (not flag, part):
            kept.pop()
        else:
            kept.append((flag, part))
    return kept


def _product(flagged: list[tuple[bool, Node]]) -> Node:
    if not flagged:
        return _ONE
    if flagged[0][0]:
        flagged = [(False, _ONE), *flagged]
    rest: list[tuple[Sign, Node]] = [("/" if divides else " ", part) for divides, part in flagged[1:]]
    return Times(flagged[0][1], tuple(rest)) if rest else flagged[0][1]


def _normal(node: Node, names: Declarations, indices: Mapping[str, Name]) -> Node:
    match node:
        case Name(name):
            return indices.get(name, node)
        case Plus():
            return _plus(node, names, indices)
        case Times():
            return _times(node, names, indices)
        case Power(base, exponent):
            return _power(_normal(base, names, indices), _normal(exponent, names, indices))
        case Sum(bound, low, high, relation, body):
            inside = {**indices, **{name: Name(f"i{len(indices) + at}…") for at, name in enumerate(bound)}}
            start = _normal(low, names, indices) if low is not None else _ONE if bound else None
            end = _normal(high, names, indices) if high is not None else None
            shown = tuple(inside[name].name for name in bound)
            return Sum(shown, start, end, relation, _normal(body, names, inside))
    return with_children(node, [_normal(child, names, indices) for child in children(node)])


def _plus(node: Plus, names: Declarations, indices: Mapping[str, Name]) -> Node:
    number = Fraction(0)
    terms: list[tuple[bool, Node]] = []
    for minus, term in _terms(node, names, indices):
        if isinstance(term, Number):
            number += -term.value if minus else term.value
        else:
            terms.append((minus, term))
    terms.sort(key=repr)
    if not terms:
        return Number(number)
    if number:
        terms.append((number < 0, Number(abs(number))))
    return terms[0][1] if len(terms) == 1 and not terms[0][0] else Plus(tuple(terms))


def _terms(node: Plus, names: Declarations, indices: Mapping[str, Name]) -> Iterator[tuple[bool, Node]]:
    for minus, term in node.terms:
        made = _normal(term, names, indices)
        if isinstance(made, Plus):
            yield from ((minus != inner, part) for inner, part in made.terms)
        else:
            yield minus, made


def _power(base: Node, exponent: Node) -> Node:
    if isinstance(exponent, Number):
        if exponent.value == 1:
            return base
        if isinstance(base, Number) and exponent.value.denominator == 1 and 0 <= exponent.value <= _LARGEST_POWER:
            return Number(base.value ** int(exponent.value))
    return Power(base, exponent)


def _times(node: Times, names: Declarations, indices: Mapping[str, Name]) -> Node:
    """Numbers first, then scalars in order, then what does not commute, in the order given."""
    number, below = Fraction(1), Fraction(1)
    powers, others = dict[tuple[bool, Node], Fraction](), list[_Factor]()
    for factor in _factors(node, names, indices):
        value = factor.node.value if isinstance(factor.node, Number) else None
        if value is not None and not factor.divides:
            number *= value
        elif value:
            # 8/2 stays as it is, so that half of the end is not taken for a step.
            below *= value
        elif factor.sign != "⊗" and _is_scalar(factor.node, names):
            base, exponent = _base(factor.node)
            place = (factor.divides != (exponent < 0), base)
            powers[place] = powers.get(place, Fraction(0)) + abs(exponent)
        else:
            others.append(factor)
    if not number:
        return _ZERO
    scalars = sorted(((divides, _power(base, Number(up))) for (divides, base), up in powers.items()), key=repr)
    parts: list[tuple[Sign, Node]] = [(" ", factor) for divides, factor in scalars if not divides]
    parts += _in_order(others, names)
    if abs(number) != 1 or not parts or parts[0][0] == "/":
        parts.insert(0, (" ", Number(abs(number))))
    parts += [("/", Number(abs(below)))] if abs(below) != 1 else []
    parts += [("/", factor) for divides, factor in scalars if divides]
    negative = (number < 0) != (below < 0)
    made = Times(parts[0][1], tuple(parts[1:])) if len(parts) > 1 else parts[0][1]
    if isinstance(made, Number):
        return Number(number / below)
    return Plus(((True, made),)) if negative else made


def _base(node: Node) -> tuple[Node, Fraction]:
    if isinstance(node, Power) and isinstance(node.exponent, Number):
        return node.base, node.exponent.value
    return node, Fraction(1)


def _factors(node: Times, names: Declarations, indices: Mapping[str, Name]) -> Iterator[_Factor]:
    parts: list[tuple[Sign, Node]] = [(" ", node.first), *node.rest]
    for sign, part in parts:
        made = _normal(part, names, indices)
        divides = sign == "/"
        if isinstance(made, Plus) and len(made.terms) == 1:
            yield _Factor(" ", False, Number(Fraction(-1)))
            made = made.terms[0][1]
        if isinstance(made, Times) and sign not in ("⊙", "⊗") and not any(op in ("⊙", "⊗") for op, _ in made.rest):
            yield _Factor(sign, divides, made.first)
            yield from (_Factor(op, divides != (op == "/"), inner) for op, inner in made.rest)
        else:
            yield _Factor(sign, divides, made)


def _in_order(factors: list[_Factor], names: Declarations) -> list[tuple[Sign, Node]]:
    """Factors that do not commute, in the order given; only the two sides of an inner product are sorted."""
    parts: list[tuple[Sign, Node]] = []
    for sign, divides, node in factors:
        parts.append(("/" if divides else " " if sign == "@" or not parts else sign, node))
    dots = [at for at, (sign, _) in enumerate(parts) if sign == "·"]
    if len(dots) != 1 or not (_is_vector(parts[dots[0] - 1][1], names) and _is_vector(parts[-1][1], names)):
        return parts
    left, right = sorted((parts[: dots[0]], [(" ", parts[dots[0]][1]), *parts[dots[0] + 1 :]]), key=repr)
    return [*left, ("·", right[0][1]), *right[1:]]


def _is_vector(node: Node, names: Declarations) -> bool:
    return isinstance(node, ListNode) or (isinstance(node, Name) and names.vocabulary.kinds.get(node.name) == "vector")


def _is_scalar(node: Node, names: Declarations) -> bool:
    """Whether ``node`` is certainly a number, so that it commutes with every factor."""
    match node:
        case Name(name):
            declared = names.declared.get(name)
            if isinstance(declared, Definition):
                return declared.parameter is None and _is_scalar(declared.formula, names)
            return name != "I" and names.vocabulary.kinds.get(name, "scalar") == "scalar"
        case Times(first, ((" " | "·", last),)) if _is_vector(first, names) and _is_vector(last, names):
            return True
        case FunctionCall(function, args):
            # E[?] E[?] is not the square of one expectation.
            known = not any(isinstance(part, Wildcard) for part in walk(node))
            elementwise = function in _EACH and all(_is_scalar(arg, names) for arg in args)
            return known and (function in _NUMBERS or elementwise)
        case Subscript(of, at):
            kind = names.vocabulary.kinds.get(of.name) if isinstance(of, Name) else "matrix"
            return kind not in ("rotation", "map") and len(at) == (2 if kind == "matrix" else 1)
        case Sum(indices, _, _, _, body):
            return not indices or _is_scalar(body, names)
        case Plus() | Times() | Power():
            return all(_is_scalar(child, names) for child in children(node))
    return isinstance(node, Number)


def reordered(node: Node, names: Declarations) -> Node:
    """``node`` with its terms, and factors that are numbers, in reverse order."""
    made = with_children(node, [reordered(child, names) for child in children(node)])
    match made:
        case Plus(terms):
            return Plus(terms[::-1])
        case Times(first, rest) if all(sign != "/" for sign, _ in rest) and _is_scalar(made, names):
            signs, factors = [sign for sign, _ in rest], [first, *(factor for _, factor in rest)][::-1]
            return Times(factors[0], tuple(zip(signs, factors[1:], strict=True)))
    return made

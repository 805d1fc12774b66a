"""Trees → text, in the notation of messages and keys, which can be parsed again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from grader.formulas import ast as nodes
from grader.formulas.ast import Node

_PLUS, _TIMES, _TIGHT = 1, 2, 3
#: Digits and a minus as superscripts.
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def show(node: Node, around: int = 0) -> str:
    """``node`` as text; in brackets if it binds less tightly than ``around``."""
    return f"({_text(node)})" if _strength(node) < around else _text(node)


def _strength(node: Node) -> int:
    match node:
        case nodes.Sum() if dotted := _dotted(node):
            return _TIGHT if dotted.endswith(("]", "])")) else _PLUS
        case nodes.Plus():
            return _PLUS
        case nodes.Times() | nodes.Sum() | nodes.Derivative():
            return _TIMES
        case nodes.Number(value) if value.denominator != 1:
            return _TIMES
    return _TIGHT


def _text(node: Node) -> str:
    match node:
        case nodes.Number(value):
            text = number(value)
        case nodes.Name(name):
            text = _index(name)
        case nodes.Plus(terms):
            text = ""
            for minus, term in terms:
                sign = "−" if minus else "+"
                text += (f" {sign} " if text else sign if minus else "") + show(term, _TIMES)
        case nodes.Times(first, rest):
            text = _product(first, rest)
        case nodes.Power(base, exponent):
            text = _power(base, exponent)
        case nodes.Transpose(of):
            text = f"({show(of)})ᵀ" if isinstance(of, nodes.Transpose) else f"{show(of, _TIGHT)}ᵀ"
        case nodes.Subscript(of, at):
            text = show(of, _TIGHT) + _lowered(at)
        case nodes.ListNode(items):
            text = f"[{_commas(items)}]"
        case nodes.FunctionCall(function, args):
            text = _call(function, args)
        case nodes.Sum():
            text = _dotted(node) or _sum(node)
        case nodes.Derivative(of, by):
            text = f"∂{show(of, _TIGHT)}/∂{show(by, _TIGHT)}"
    return text


def _index(name: str) -> str:
    """A name without the mark of those that nobody typed: i for i…"""
    return name[0] if name[1:] == "…" else name


def _call(function: str, args: tuple[Node, ...]) -> str:
    match function, args:
        case "E" | "Var", (of, *given):
            inside = f"{show(of)} | {_commas(tuple(given))}" if given else show(of)
            return f"E[{inside}]" if function == "E" else f"Var({inside})"
        case "sqrt", (of,):
            return f"√({show(of)})" if isinstance(of, nodes.Power) else f"√{show(of, _TIGHT)}"
        case "d", (of,):
            return f"d{show(of, _TIGHT)}"
        case "ones", ():
            return "1"
        case "norm", (of,):
            return f"‖{show(of)}‖"
        case "delta", _:
            return f"δ{_lowered(args)}"
        case "jacobian", (of, *at):
            return f"{show(of)}'({_commas(tuple(at))})"
    return f"{function}({_commas(args)})"


def number(value: Fraction) -> str:
    """A rational number as text."""
    return f"{value.numerator}" if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _commas(nodes: tuple[Node, ...]) -> str:
    return ", ".join(map(show, nodes))


def _product(first: Node, rest: tuple[tuple[nodes.Sign, Node], ...]) -> str:
    # A sum sign extends to the end of the product, so it needs brackets inside one.
    ends = first.rest[-1][0] if isinstance(first, nodes.Times) else " "
    apart = ends in ("/", "⊙", "⊗") or (ends != " " and rest[0][0] == " ")
    apart = apart or _opens(first) or (isinstance(first, nodes.Number) and first.value.denominator != 1)
    text = f"({show(first)})" if apart else show(first, _TIMES)
    before = " "
    for place, (sign, factor) in enumerate(rest):
        last = place == len(rest) - 1
        said = show(factor) if _opens(factor) and last and sign != "/" else show(factor, _TIGHT)
        # 1/n x would be refused as ambiguous.
        joint = "·" if sign == " " and (before == "/" or said[0].isdigit()) else sign
        text += f" {joint} {said}" if joint in ("⊙", "⊗", "@") else f"{joint}{said}"
        before = sign
    return text


def _power(base: Node, exponent: Node) -> str:
    # q_i² but (√d)²: without brackets it would be parsed differently.
    text = show(base, _TIGHT)
    if isinstance(base, nodes.Power) or (isinstance(base, nodes.FunctionCall) and base.function == "sqrt"):
        text = f"({text})"
    if isinstance(exponent, nodes.Number) and exponent.value.denominator == 1 and exponent.value >= 0:
        return text + str(exponent.value).translate(RAISED)
    raised = show(exponent, _TIGHT) if isinstance(exponent, (nodes.Name, nodes.Number)) else f"({show(exponent)})"
    return f"{text}^{raised}"


def _lowered(at: tuple[Node, ...]) -> str:
    # R_{m θ} would have two indices.
    match at:
        case (nodes.Times(first, rest),) if all(sign == " " for sign, _ in rest):
            at = (nodes.Times(first, tuple(("·", factor) for _, factor in rest)),)
    shown = ",".join(map(show, at))
    return f"_{shown}" if len(shown) == 1 else f"_{{{shown}}}"


def _sum(node: nodes.Sum) -> str:
    if not node.indices:
        return f"sum({show(node.body)})"
    below = (node.relation or ",").join([*map(_index, node.indices), *([show(node.without)] if node.without else [])])
    if node.low is not None:
        below += f"={show(node.low)}"
    sign = f"Σ_{below}" if len(below) == 1 else f"Σ_{{{below}}}"
    if node.high is not None:
        sign += f"^{{{show(node.high)}}}"
    return f"{sign} {show(node.body, _TIMES)}"


def _dotted(node: nodes.Sum) -> str:
    """A sum, vector or matrix that was written with …, by its first and last term; empty for others.

    Each term is said twice. So one may be in another, and no more, and not under the same index, as names bring it.
    """
    inside = {part.indices for part in nodes.walk(node.body) if isinstance(part, nodes.Sum) and _has_dots(part)}
    if not _has_dots(node) or node.high is None or node.indices in inside or len(inside) > 1:
        return ""
    index = nodes.Name(node.indices[0])
    entry = _entry(node.body, index)
    again = entry and _entry(entry, index)
    ends = [nodes.replaced(again or entry or node.body, {index: end}) for end in (node.low or nodes.ONE, node.high)]
    if entry is None:
        return " + … + ".join(show(end, _TIMES) for end in ends)
    listed = f"[{', …, '.join(map(show, ends))}]"
    return f"diag({listed})" if again else listed


def _has_dots(node: nodes.Sum) -> bool:
    return [name[1:] for name in node.indices] == ["…"]


def _opens(node: Node) -> bool:
    """Whether a node begins with a sign of a sum, which extends as far as it can."""
    return isinstance(node, nodes.Sum) and _strength(node) == _TIMES


def _entry(node: Node, index: nodes.Name) -> Node | None:
    """``node`` without the unit vector at ``index`` that it is multiplied by; None if it is not."""
    match node:
        case nodes.Times(entry, (("⊗", nodes.FunctionCall("onehot", (at, _))),)) if at == index:
            return entry
        case nodes.Times(first, rest) if found := _entry(first, index):
            return nodes.Times(found, rest)
        case nodes.Sum(body=body) if found := _entry(body, index):
            return replace(node, body=found)
    return None

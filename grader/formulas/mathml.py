"""Trees → MathML, for reports in HTML."""

from __future__ import annotations

import html

from grader.formulas.ast import (
    Derivative,
    FunctionCall,
    ListNode,
    Name,
    Node,
    Number,
    Plus,
    Power,
    Subscript,
    Sum,
    Times,
    Transpose,
)
from grader.formulas.printer import show, shown_indices

#: What is written between factors: nothing if they are side by side.
_JOINTS = {" ": "", "*": "·", "·": "·", "@": "", "⊙": "⊙", "⊗": "⊗"}


def mathml(node: Node) -> str:
    """``node`` as a ``math`` element. Names are escaped."""
    return f"<math>{_of(node)}</math>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _sign(sign: str) -> str:
    return f"<mo>{html.escape(sign)}</mo>"


def _name(name: str) -> str:
    stem, _, below = name.replace("i…", "i").partition("_")
    said = f"<mi>{html.escape(stem)}</mi>"
    return f"<msub>{said}<mi>{html.escape(below)}</mi></msub>" if below else said


def _bracketed(node: Node, *kinds: type[Node]) -> str:
    return _row(_sign("("), _of(node), _sign(")")) if isinstance(node, kinds) else _of(node)


def _commas(nodes: tuple[Node, ...]) -> str:
    return _sign(",").join(map(_of, nodes))


def _of(node: Node) -> str:
    match node:
        case Number(value) if value.denominator == 1:
            said = f"<mn>{value.numerator}</mn>"
        case Number(value):
            said = f"<mfrac><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>"
        case Name(name):
            said = _name(name)
        case Plus(terms):
            parts: list[str] = []
            for minus, term in terms:
                parts += [_sign("−" if minus else "+")] if minus or parts else []
                parts.append(_bracketed(term, Plus))
            said = _row(*parts)
        case Times():
            said = _product(node)
        case Power(base, exponent):
            below = _bracketed(base, Plus, Times, Power, Sum, Derivative, FunctionCall, Transpose)
            said = f"<msup>{below}{_row(_of(exponent))}</msup>"
        case Transpose(of):
            said = f"<msup>{_bracketed(of, Plus, Times, Power, Sum, Derivative, Transpose)}{_sign('⊤')}</msup>"
        case Subscript(of, at):
            said = f"<msub>{_bracketed(of, Plus, Times, Power, Sum, Transpose)}{_row(_commas(at))}</msub>"
        case ListNode(found):
            said = _row(_sign("["), _commas(found), _sign("]"))
        case FunctionCall(function, args):
            said = _call(function, args)
        case Sum():
            said = _sum(node)
        case Derivative(of, by):
            above, below = (_row(_sign("∂"), _bracketed(part, Plus, Times, Sum)) for part in (of, by))
            said = f"<mfrac>{above}{below}</mfrac>"
    return said


def _product(node: Times) -> str:
    said = _of(node.first) if node.rest[0][0] == "/" else _bracketed(node.first, Plus, Sum)
    for sign, factor in node.rest:
        if sign == "/":
            said = f"<mfrac>{_row(said)}{_row(_of(factor))}</mfrac>"
        else:
            joint = _JOINTS[sign] or ("·" if isinstance(factor, Number) else "")
            said += (_sign(joint) if joint else "") + _bracketed(factor, Plus, Times, Sum)
    return _row(said)


def _call(function: str, args: tuple[Node, ...]) -> str:
    match function, args:
        case "sqrt", (of,):
            return f"<msqrt>{_of(of)}</msqrt>"
        case "norm" | "abs", (of,):
            bar = "‖" if function == "norm" else "|"
            return _row(_sign(bar), _of(of), _sign(bar))
        case "E" | "Var", (of, *given):
            opening, closing = "[]" if function == "E" else "()"
            fixed = [_sign("|"), _commas(tuple(given))] if given else []
            return _row(f"<mi>{function}</mi>", _sign(opening), _of(of), *fixed, _sign(closing))
        case "exp", (of,):
            return f"<msup><mi>e</mi>{_row(_of(of))}</msup>"
        case "delta" | "jacobian" | "d", _:
            return f"<mtext>{html.escape(show(FunctionCall(function, args)))}</mtext>"
    name = "<msub><mi>log</mi><mn>2</mn></msub>" if function == "log2" else f"<mi>{html.escape(function)}</mi>"
    return _row(name, _sign("("), _commas(args), _sign(")"))


def _sum(node: Sum) -> str:
    names = [_name(index) for index in shown_indices(node)]
    below = _row(_sign(node.relation or ",").join(names), *([_sign("="), _of(node.low)] if node.low else []))
    sign = f"<munder>{_sign('∑')}{below}</munder>" if names else _sign("∑")
    if names and node.high is not None:
        sign = f"<munderover>{_sign('∑')}{below}{_row(_of(node.high))}</munderover>"
    return _row(sign, _bracketed(node.body, Plus))

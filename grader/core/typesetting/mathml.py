"""Formulas as MathML Core, for pages, reports and notebooks."""

from __future__ import annotations

import html
import itertools

from grader.core.typesetting.layout import RELATIONS, Atom, Fence, Fraction, Labelled, Root, Row, Scripts, Tree, layout

#: A formula of more parts may break before its relations, and one of twice as many before ``+`` and ``−``, too. No
#: browser breaks a line inside of a ``math`` element.
_LONGEST_UNBROKEN = 12
_THIN = '<mspace width="0.167em"/>'
#: Brackets stay as high as the text, unless they hold a fraction.
_SAME_HEIGHT = ' stretchy="false"'
_TIGHT = frozenset("/!|∣:∂∇Δ")


def mathml(formula: str, *, display: bool = False) -> str:
    """``formula`` as ``math`` elements: one if it is short or displayed, else one for each side of a relation.

    Everything in it is escaped. Raises LayoutError (see ``layout``).
    """
    row = layout(formula, display=display)
    if display:
        return f'<math display="block">{_of(row)}</math>'
    return "<wbr>".join(f"<math>{_row(side)}</math>" for side in _sides(row.parts))


def sides(formula: str) -> tuple[str, str]:
    """``formula``, displayed, as two ``math`` elements: what stands before its first relation, and the rest.

    Raises LayoutError (see ``layout``).
    """
    parts = layout(formula, display=True).parts
    at = next((at for at, part in enumerate(parts) if isinstance(part, Atom) and part.text in RELATIONS), len(parts))
    left, right = (
        f'<math displaystyle="true">{_row(side)}</math>' if side else "" for side in (parts[:at], parts[at:])
    )
    return left, right


def _sides(parts: tuple[Tree, ...]) -> list[tuple[Tree, ...]]:
    size = _size(Row(parts))
    if size <= _LONGEST_UNBROKEN:
        return [parts]
    breaking = RELATIONS | frozenset("+−" if size > 2 * _LONGEST_UNBROKEN else "")
    breaks = [at for at, part in enumerate(parts) if at and isinstance(part, Atom) and part.text in breaking]
    ends = [0, *breaks, len(parts)]
    return [parts[start:end] for start, end in itertools.pairwise(ends)]


def _size(tree: Tree) -> int:
    match tree:
        case Row(parts):
            return sum(map(_size, parts))
        case Fence(_, of, _):
            return 2 + _size(of)
        case Scripts(base, below, above):
            return sum(_size(each) for each in (base, below, above) if each is not None)
        case Root(of):
            return 1 + _size(of)
        case Fraction(above, below):
            return max(_size(above), _size(below))
        case Labelled(of, _):
            return _size(of)
        case Atom():
            return 1


def _of(tree: Tree) -> str:
    match tree:
        case Row(parts):
            return _row(parts)
        case Atom(text, "name"):
            return f"<mi>{html.escape(text)}</mi>"
        case Atom(text, "number"):
            return f"<mn>{html.escape(text)}</mn>"
        case Atom(text, "word"):
            return _word(text)
        case Atom(text, _):
            return _sign(text)
        case Root(of):
            return f"<msqrt>{_of(of)}</msqrt>"
        case Fraction(above, below):
            return f"<mfrac>{_of(above)}{_of(below)}</mfrac>"
        case Labelled(of, label):
            return f'<munder class="labelled">{_of(of)}{_of(label)}</munder>'
        case Fence(opening, of, closing):
            made = _row_of(_bracket(opening, "prefix"), _row(of.parts), _bracket(closing, "postfix"))
            return made.replace(_SAME_HEIGHT, "") if "<mfrac>" in made else made
        case Scripts(base, below, above):
            return _scripts(base, below, above)


def _row_of(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _word(text: str) -> str:
    if len(text) == 1:
        return f'<mi mathvariant="normal">{html.escape(text)}</mi>'
    return f"<mi>{text}</mi>" if text.isalnum() and text.isascii() else f"<mtext>{html.escape(text)}</mtext>"


def _sign(text: str, form: str = "") -> str:
    how = f' form="{form}"' if form else ""
    tight = ' lspace="0" rspace="0"' if text in _TIGHT else ""
    return f"<mo{how}{tight}>{html.escape(text)}</mo>"


def _bracket(text: str, form: str) -> str:
    return f'<mo form="{form}" lspace="0" rspace="0"{_SAME_HEIGHT}>{text}</mo>'


def _scripts(base: Tree, below: Tree | None, above: Tree | None) -> str:
    limits = isinstance(base, Atom) and base.text in ("∑", "∏", "max", "min", "lim", "argmax", "argmin")
    lower, both, upper = ("munder", "munderover", "mover") if limits else ("msub", "msubsup", "msup")
    name = both if below is not None and above is not None else lower if below is not None else upper
    scripts = "".join(_of(each) for each in (below, above) if each is not None)
    if limits and name == "munder" and isinstance(base, Atom) and base.text.isalpha():
        return f'<munder><mo movablelimits="true" lspace="0" rspace="0">{base.text}</mo>{scripts}</munder>'
    return f"<{name}>{_of(base)}{scripts}</{name}>"


def _row(parts: tuple[Tree, ...]) -> str:
    said: list[str] = []
    before: Tree | None = None
    for part in parts:
        if before is not None and _needs_space(before, part):
            said.append(_THIN)
        if isinstance(part, Atom) and part.text in "+−±" and part.kind == "sign":
            said.append(_sign(part.text, "prefix" if before is None or _is_sign(before) else "infix"))
        else:
            said.append(_of(part))
        before = part
    return said[0] if len(parts) == 1 else _row_of(*said)


def _is_sign(part: Tree) -> bool:
    return isinstance(part, Atom) and part.kind == "sign"


def _needs_space(before: Tree, after: Tree) -> bool:
    """Whether a word would touch its argument or what stands before it, or a number another one."""
    if _is_sign(before) or _is_sign(after):
        return False
    if _is_word(before):
        return not isinstance(after, Fence)
    if _is_word(after) or (isinstance(before, Atom) and isinstance(after, Atom) and after.kind == "number"):
        return True
    return isinstance(after, Scripts) and isinstance(after.base, Atom) and after.base.kind == "number"


def _is_word(part: Tree) -> bool:
    base = part.base if isinstance(part, Scripts) else part
    return isinstance(base, Atom) and base.kind == "word"

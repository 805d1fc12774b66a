"""Formulas as MathML Core, for pages, reports and notebooks."""

from __future__ import annotations

import html
import itertools
import re

from grader.core.typesetting.layout import (
    LIMITS,
    RELATIONS,
    SPACE,
    Atom,
    Fence,
    Fraction,
    Labelled,
    Root,
    Row,
    Scripts,
    Tree,
    base_of,
    is_sign,
    layout,
)

#: A formula of more parts may break before its relations, and one of twice as many before ``+`` and ``−``, too. No
#: browser breaks a line inside of a ``math`` element.
_LONGEST_UNBROKEN = 12
_LONGEST_DISPLAYED = 8
_THIN = '<mspace width="0.167em"/>'
#: Brackets stay as high as the text, unless they hold a fraction.
_SAME_HEIGHT = ' stretchy="false"'
#: Follows it where brackets are around scripts below or above.
_AROUND_SCRIPTS = "\0"
_NO_SPACE = ' lspace="0" rspace="0"'
_TIGHT = frozenset("/!|∣:∂∇Δ")
_PRIME = Atom("′", "sign")
_SUMS = (Atom("∑", "sign"), Atom("∏", "sign"))
#: What a function is applied to follows this sign, which screen readers say as “of”. It has no width.
_APPLIED = "<mo>\u2061</mo>"
#: What counts as a part: all that is seen.
_PART = re.compile(r"<m(?:i|n|o|text|sqrt)\b(?!>\u2061)")
_OPERATOR = re.compile(r'<mo( form="\w+")?>')


def mathml(formula: str, *, display: bool = False) -> str:
    """``formula`` as ``math`` elements: one if it is short or displayed, else one for each side of a relation.

    Everything in it is escaped. Raises LayoutError (see ``layout``).
    """
    sides = _sides(layout(formula, display=display).parts, _LONGEST_DISPLAYED if display else _LONGEST_UNBROKEN)
    # A later side begins with the sign that joins it to the one before.
    joined = (_row(side, None if at == 0 else Row(())) for at, side in enumerate(sides))
    return "<wbr>".join(_math(side, display=display) for side in joined)


def _math(written: str, *, display: bool) -> str:
    """A ``math`` element. Only in a displayed one, scripts are below and above sums, and brackets as high as these."""
    if display:
        return f'<math displaystyle="true">{written.replace(_SAME_HEIGHT + _AROUND_SCRIPTS, "")}</math>'
    return f"<math>{written.replace(_AROUND_SCRIPTS, '')}</math>"


def sides(formula: str) -> tuple[str, str]:
    """``formula``, displayed, as two ``math`` elements: what stands before its first relation, and the rest.

    Raises LayoutError (see ``layout``).
    """
    parts = layout(formula, display=True).parts
    at = next((at for at, part in enumerate(parts) if isinstance(part, Atom) and part.text in RELATIONS), len(parts))
    left = _math(_row(parts[:at]), display=True) if parts[:at] else ""
    return left, _math(_row(parts[at:], Row(())), display=True) if parts[at:] else ""


def _sides(parts: tuple[Tree, ...], longest: int) -> list[tuple[Tree, ...]]:
    size = len(_PART.findall(_row(parts)))
    if size <= longest:
        return [parts]
    breaking = RELATIONS | frozenset("+−" if size > 2 * longest else "")
    breaks = [at for at, part in enumerate(parts) if at and isinstance(part, Atom) and part.text in breaking]
    ends = [0, *breaks, len(parts)]
    return [parts[start:end] for start, end in itertools.pairwise(ends)]


def _of(tree: Tree) -> str:
    match tree:
        case Row(parts):
            return _row(parts)
        case Atom(text, "name"):
            return f"<mi>{html.escape(text)}</mi>"
        case Atom(text, "number"):
            return f"<mn>{html.escape(text)}</mn>"
        case Atom(text, "word"):
            named = len(text) > 1 and text.isalnum() and text.isascii()
            return f"<mi>{text}</mi>" if named else f"<mtext>{html.escape(text)}</mtext>"
        case Atom(text, _):
            return _sign(text)
        case Root(of):
            return f"<msqrt>{_of(of)}</msqrt>"
        case Fraction(above, below):
            return f"<mfrac>{_of(above)}{_of(below)}</mfrac>"
        case Labelled(of, label):
            return f'<munder class="labelled">{_of(of)}{_of(label)}</munder>'
        case Fence(opening, of, closing):
            inside = _row(of.parts)
            around = _AROUND_SCRIPTS if "<munder" in inside else ""
            height = "" if "<mfrac>" in inside else _SAME_HEIGHT + around
            return _row_of(_bracket(opening, "prefix", height), inside, _bracket(closing, "postfix", height))
        case Scripts(base, below, above):
            return _scripts(base, below, above)


def _row_of(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _sign(text: str, how: str = "") -> str:
    tight = _NO_SPACE if text in _TIGHT and _NO_SPACE not in how else ""
    return f"<mo{how}{tight}>{html.escape(text)}</mo>"


def _bracket(text: str, form: str, height: str) -> str:
    return f'<mo form="{form}"{_NO_SPACE}{height}>{text}</mo>'


def _scripts(base: Tree, below: Tree | None, above: Tree | None) -> str:
    if above == _PRIME:  # it is raised already, and as large as it should be
        return _row_of(_of(base) if below is None else _scripts(base, below, None), _sign("′", _NO_SPACE))
    limits = isinstance(base, Atom) and base.text in LIMITS
    lower, both, upper = ("munder", "munderover", "mover") if limits else ("msub", "msubsup", "msup")
    name = both if below is not None and above is not None else lower if below is not None else upper
    scripts = "".join(_of(each) for each in (below, above) if each is not None)
    scripts = _OPERATOR.sub(rf"<mo\1{_NO_SPACE}>", scripts)
    if limits and name == "munder" and isinstance(base, Atom) and base.text.isalpha():
        return f'<munder><mo movablelimits="true"{_NO_SPACE}>{base.text}</mo>{scripts}</munder>'
    if name == "msup" and above == Atom("⊤", "sign"):
        transposed = _of(base).replace(">", ' arg="it">', 1)
        return f'<msup intent="transpose($it)">{transposed}{scripts}</msup>'
    return f"<{name}>{_of(base)}{scripts}</{name}>"


def _row(parts: tuple[Tree, ...], before: Tree | None = None) -> str:
    said: list[str] = []
    for at, part in enumerate(parts):
        if part == SPACE:
            said.append(_THIN)
            continue
        if before is not None and _needs_space(before, part):
            said.append(_THIN)
        if at and isinstance(part, Fence) and part.open == "(" and _is_function(parts[at - 1]):
            said.append(_APPLIED)
        said.append(_after(before, part, last=at == len(parts) - 1))
        before = part
    return said[0] if len(said) == 1 else _row_of(*said)


def _after(before: Tree | None, part: Tree, *, last: bool) -> str:
    """``part`` of a row, whose space depends on what stands before it and on whether it is the ``last`` one."""
    starts = before is None or is_sign(before)
    match part:
        case Atom("…", _) if isinstance(before, Atom) and before.text in "+−·×":
            return "<mi>⋯</mi>"
        case Atom(text, "sign") if (starts or text == ",") and last:  # without operands
            return _sign(text, _NO_SPACE)
        case Atom(text, "sign") if before is None and text in RELATIONS:
            return _sign(text, ' lspace="0"')
        case Atom("+" | "−" | "±", _):
            return _sign(part.text, f' form="{"prefix" if starts else "infix"}"')
    written = _of(part)
    return written.replace("<mo>", '<mo lspace="0">', 1) if starts and base_of(part) in _SUMS else written


def _needs_space(before: Tree, after: Tree) -> bool:
    """Whether a word would touch its argument or what stands before it, or a number another one."""
    if is_sign(before) or is_sign(after) or base_of(before) in _SUMS or before == Atom("…", "name"):
        return False
    if _is_word(before):
        return not isinstance(after, Fence)
    if _is_word(after) or (isinstance(before, Atom) and isinstance(after, Atom) and after.kind == "number"):
        return True
    return isinstance(after, Scripts) and isinstance(after.base, Atom) and after.base.kind == "number"


def _is_function(part: Tree) -> bool:
    return _is_word(part) or (isinstance(part, Scripts) and part.above == _PRIME)


def _is_word(part: Tree) -> bool:
    return isinstance(base := base_of(part), Atom) and base.kind == "word"

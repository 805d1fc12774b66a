"""Formulas as LaTeX, for systems that typeset it, such as Moodle and Canvas."""

from __future__ import annotations

import contextlib
import unicodedata

from grader.core.marks import Kind, pieces
from grader.core.tables import table
from grader.core.typesetting.layout import (
    LIMITS,
    Atom,
    Fence,
    Fraction,
    Labelled,
    LayoutError,
    Root,
    Row,
    Scripts,
    Tree,
    layout,
)


def latex(formula: str, *, display: bool = False) -> str:
    r"""``formula`` as the LaTeX between ``\(`` and ``\)``. Raises LayoutError (see ``layout``)."""
    return _of(layout(formula, display=display))


def written(kind: Kind | None, text: str) -> str | None:
    """The LaTeX of a piece of marked text; None if it is no formula, or cannot be laid out."""
    with contextlib.suppress(LayoutError):
        return latex(text, display=kind == "display") if kind in ("formula", "display") else None
    return None


def markdown(text: str) -> str:
    """Marked text as Markdown with LaTeX, for notebooks; a formula that cannot be laid out is shown as code."""
    return "".join(_piece(kind, said) for kind, said in pieces(text))


def _piece(kind: Kind | None, text: str) -> str:
    if kind is None:
        return text
    if kind == "listing":
        return f"\n```python\n{text}\n```\n"
    if (formula := written(kind, text)) is None:
        return f"`{text}`"
    return f"\n$${formula}$$\n" if kind == "display" else f"${formula}$"


def _of(tree: Tree) -> str:
    match tree:
        case Row(parts):
            return " ".join(map(_of, parts))
        case Atom(text, "word"):
            return _word(text)
        case Atom(text, "number"):
            return text.replace(",", "{,}").replace(" ", r"\,")
        case Atom(text, "name") if len(text) == 2:  # a letter with an accent
            return f"{_character(text[1])}{{{_character(text[0])}}}"
        case Atom(text, _):
            return "".join(map(_character, text))
        case Root(of):
            return rf"\sqrt{{{_of(of)}}}"
        case Fraction(above, below):
            return rf"\frac{{{_of(above)}}}{{{_of(below)}}}"
        case Labelled(of, label):
            return rf"\underset{{{_of(label)}}}{{{_of(of)}}}"
        case Fence(opening, of, closing):
            inside = _of(of)
            before, after = (r"\left", r"\right") if r"\frac" in inside else ("", "")
            return f"{before}{_bracket(opening, 'l')} {inside} {after}{_bracket(closing, 'r')}"
        case Scripts(base, below, above):
            said = _of(base)
            if not isinstance(base, Atom):
                said = f"{{{said}}}"
            said += f"_{{{_script(below)}}}" if below is not None else ""
            return said + (f"^{{{_script(above)}}}" if above is not None else "")


def _script(tree: Tree) -> str:
    if isinstance(tree, Atom) and tree.kind == "word" and tree.text.isalpha():
        return rf"\mathrm{{{tree.text}}}"
    return _of(tree)


def _word(text: str) -> str:
    plain = text.replace("_", r"\_").replace("%", r"\%")
    if text.isalpha() and text.isascii():
        return rf"\operatorname{'*' if text in LIMITS else ''}{{{plain}}}"
    return rf"\text{{{plain}}}"


def _bracket(char: str, side: str) -> str:
    """A bracket; bars differ by ``side``, or TeX would take a sign after the first one for one between operands."""
    return {"|": rf"\{side}vert", "‖": rf"\{side}Vert"}.get(char) or _character(char)


def _character(char: str) -> str:
    if char.isascii() and char not in "{}%#&":
        return char
    if char.isascii():
        return f"\\{char}"
    known: dict[str, str] = table(__file__, "latex.yaml")
    if char in known:
        return known[char]
    size, _, name = unicodedata.name(char, "").removeprefix("GREEK ").partition(" LETTER ")
    if name and unicodedata.name(char).startswith("GREEK"):
        return "\\" + (name.capitalize() if size == "CAPITAL" else name.lower())
    return rf"\text{{{char}}}"

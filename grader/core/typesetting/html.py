"""Marked text as HTML: code, formulas in MathML, listings; for reports, pages and notebooks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from grader.core.marks import Kind, lines, pieces
from grader.core.typesetting import highlight
from grader.core.typesetting.layout import LayoutError
from grader.core.typesetting.mathml import mathml

_LONGEST = 2000
#: Code of at most so many characters is not broken.
_SHORT = 28
_CLOSING = frozenset(",.;:!?)]，。、；：？！）」』】》”’")
#: White space of any kind but a line break.
_SPACE = re.compile(r"[^\S\n]")


def visible(text: str) -> str:
    """``text`` with every unprintable character replaced by its code point, so that nothing is hidden or reordered."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char.isspace() else f"⟨U+{ord(char):04X}⟩" for char in text)


@functools.lru_cache(4096)
def typeset(text: str) -> Markup:
    """``text`` as HTML, with its marks; a formula that cannot be laid out is shown as it is typed."""
    html, joins = Markup(""), False
    for kind, said in pieces(_cut(text)):
        shown = _SPACE.sub(" ", visible(said))
        # No line may begin with the punctuation after a formula.
        html += Markup("\u2060") if joins and shown[:1] in _CLOSING else ""
        html += _typeset(kind, shown)
        joins = kind in ("formula", "code")
    return html


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _typeset(kind: Kind | None, text: str) -> Markup:
    match kind:
        case "code":
            return Markup('<code class="{}">{}</code>').format("whole" if len(text) <= _SHORT else "long", text)
        case "listing":
            return Markup('<code class="listing" tabindex="0">{}</code>').format(python(text))
        case "formula":
            return formula(text)
        case "display":
            return Markup('<span class="display">{}</span>').format(formula(text, display=True))
        case None:
            return escape(text)


def python(source: str, start: int = 0, end: int | None = None) -> Markup:
    """``source[start:end]`` in the colours of ``highlight``; unprintable characters are visible."""
    return Markup("").join(_coloured(kind, visible(text)) for kind, text in highlight.parts(source, start, end))


def _coloured(kind: str, text: str) -> Markup:
    return Markup('<span class="code-{}">{}</span>').format(kind, text) if kind else escape(text)


def formula(text: str, *, display: bool = False) -> Markup:
    """The formula ``text`` as MathML; as code if it cannot be laid out."""
    try:
        return Markup(mathml(text, display=display))  # escaped there
    except LayoutError:
        return Markup("<code>{}</code>").format(text)


def prose(text: str) -> Markup:
    """``text`` with a paragraph for each line, and a list for lines that begin with ``- ``."""
    return Markup("\n").join(_blocks(lines(text.strip())))


def _blocks(rows: list[str]) -> Iterator[Markup]:
    entries: list[Markup] = []
    for line in [*rows, ""]:
        if line.lstrip().startswith("- "):
            entries.append(Markup("<li>{}</li>").format(typeset(line.lstrip()[2:])))
            continue
        if entries:
            yield Markup("<ul>{}</ul>").format(Markup("").join(entries))
            entries = []
        if line.strip():
            yield Markup("<p>{}</p>").format(typeset(line))

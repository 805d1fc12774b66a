"""Marked text as HTML: code, formulas in MathML, listings; for reports, pages and notebooks."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from grader.core.marks import CHAIN, DISPLAYED, REASON, Kind, lines, pieces
from grader.core.typesetting import highlight
from grader.core.typesetting.layout import LayoutError
from grader.core.typesetting.mathml import mathml, sides

_LONGEST = 2000
#: Code of at most so many characters is not broken.
_SHORT = 28
#: A formula or short code, with the punctuation that touches it.
_WITH_PUNCTUATION = re.compile(
    r"([(\[“‘（「『【《]*)"
    f"(\ue001[^\ue000-\ue00f]*\ue00f|\ue000[^\ue000-\ue00f]{{,{_SHORT}}}\ue00e)"
    r"([,.;:!?)\]”’，。、；：？！）」』】》]*)"
)
_WHOLE = Markup('<span class="whole">{}</span>')
_STEP = Markup(
    '<span class="step"><span class="left">{}{}</span><span class="{}">{}</span><span class="why">{}</span></span>'
)
_APOSTROPHE = re.compile(r"(?<=[A-Za-z])'(?=[a-z])")
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
    html, start = Markup(""), 0
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    for match in CHAIN.finditer(text):
        html += _in_line(text[start : match.start()]) + _chain(match[0])
        start = match.end()
    return html + _in_line(text[start:])


def _in_line(text: str) -> Markup:
    html, start = Markup(""), 0
    for match in _WITH_PUNCTUATION.finditer(text):
        before, piece, after = match.groups()
        shown = _pieces(piece)
        html += _pieces(text[start : match.start()]) + (_held(before, shown, after) if before or after else shown)
        start = match.end()
    return html + _pieces(text[start:])


def _held(before: str, piece: Markup, after: str) -> Markup:
    """A piece with its punctuation, on one line: browsers may break a line after a formula, whatever follows."""
    if piece.startswith("<code>"):  # a formula that cannot be laid out may be long
        return escape(before) + piece + escape(after)
    parts = piece.split("<wbr>")
    parts[0] = escape(before) + parts[0]
    parts[-1] += escape(after)
    return Markup("<wbr>").join(map(_WHOLE.format, parts))


def _pieces(text: str) -> Markup:
    said = ((kind, _SPACE.sub(" ", visible(said))) for kind, said in pieces(text))
    return Markup("").join(_typeset(kind, shown) for kind, shown in said)


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
            return escape(_APOSTROPHE.sub("’", text))


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


def _chain(text: str) -> Markup:
    """Displayed formulas below each other, aligned at their first relation, each with its reason."""
    found = [(next(said for kind, said in pieces(line) if kind), line) for line in text.strip("\n").split("\n")]
    try:
        split = [(sides(visible(formula)), line) for formula, line in found]
    except LayoutError:
        return Markup("").join(_in_line(line) for _, line in found)
    rows = []
    for (left, right), line in split:
        before, after = DISPLAYED.split(line)
        # What has no relation stands where the right sides do, so that a long start does not move them aside.
        cells = (left, "right", right) if right else ("", "right start", left)
        reason = _in_line(after.strip().removeprefix(REASON.strip()).strip())
        rows.append(_STEP.format(before.partition(REASON)[0].strip(), *map(Markup, cells), reason))
    return Markup('<span class="chain">{}</span>').format(Markup("").join(rows))


def prose(text: str) -> Markup:
    """``text`` with a paragraph for each line, and a list for lines that begin with ``- ``."""
    return Markup("\n").join(_blocks(lines(text.strip())))


def _blocks(rows: list[str]) -> Iterator[Markup]:
    for listed, group in itertools.groupby(rows, lambda line: line.lstrip().startswith("- ")):
        if listed:
            yield _list(list(group))
        else:
            yield from (Markup("<p>{}</p>").format(typeset(line)) for line in group if line.strip())


def _list(rows: list[str]) -> Markup:
    """A list of lines that begin with ``- ``; those that are indented are below the entry before them."""
    entries: list[Markup] = []
    for inner, group in itertools.groupby(rows, lambda line: line.startswith(" ")):
        if inner and entries:
            entries[-1] += _list([line.lstrip() for line in group])
        else:
            entries += [typeset(line.lstrip()[2:]) for line in group]
    return Markup("<ul>{}</ul>").format(Markup("").join(map(Markup("<li>{}</li>").format, entries)))

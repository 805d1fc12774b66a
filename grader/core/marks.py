"""Code and formulas inside of texts.

In the bank and in ``Message`` they are marked as in Markdown: `` `code` ``, ``$formula$``, a displayed formula in
``$$`` on a line of its own, and listings between lines that begin with three backticks. ``marked`` replaces these
marks, when a text is loaded, with characters that Unicode leaves without a meaning. So a backtick or a dollar sign that
a learner typed is never a mark: ``grader.core.text.clean`` lets no such character through.

Every surface shows the ``pieces`` in its own way. What has only characters takes ``plain``, in which code is in
backticks; names for programs and screen readers are ``bare``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["code", "formula", "display", "listing"]

_KINDS: dict[str, Kind] = {"\ue000": "code", "\ue001": "formula", "\ue002": "display", "\ue003": "listing"}
_OPEN: dict[str, str] = {kind: char for char, kind in _KINDS.items()}
LISTING, END = "\ue003\ue00f"
#: Code has an end of its own: on a terminal its marks are as wide as the backticks that they become.
_CLOSE = {kind: "\ue00e" if kind == "code" else END for kind in _OPEN}
BACKTICKS = frozenset("\ue000\ue00e")
#: Every character that is a mark.
MARKS = frozenset((*_KINDS, *_CLOSE.values()))
_SOURCE = dict(zip(_KINDS, ("`{}`", "${}$", "$${}$$", "```\n{}\n```"), strict=True))
_ALL = re.compile("[\ue000-\ue00f]")
_NEXT_LINE = re.compile("\ue00f\n *\ue003")
_BLOCK = re.compile("(?:\n *|^ *)?([\ue002\ue003][^\ue00f]*\ue00f)\n?", re.MULTILINE)
_PIECE = re.compile("([\ue000-\ue003])([^\ue000-\ue00f]*)[\ue00e\ue00f]")
#: Displayed formulas on lines of their own, below each other. Before ``REASON`` may be an id, and after it a reason.
CHAIN = re.compile("\n?(?:^(?:\\w+  # )? *\ue002[^\ue00f]*\ue00f[^\n]*(?:\n|\\Z)){2,}", re.MULTILINE)
DISPLAYED = re.compile("\ue002[^\ue00f]*\ue00f")
REASON = "  # "
_REASON = re.compile("(?<=\ue00f) *  # ")
_LINE_END = re.compile("(?:(?<!\ue00f)\n|\n(?! *\ue002))(?![^\ue000-\ue00f]*\ue00f)")
_INDENT = re.compile("^ +([\ue002\ue003])", re.MULTILINE)
_MARKS = re.compile(
    r"^ *```\w*\n(?P<listing>.*?)\n *```$"
    r"|^ *\$\$(?P<display>[^$\n]+)\$\$$"
    r"|`(?P<code>[^`\n]+)`"
    r"|\$(?P<formula>[^$\n]+)\$"
    r"|[`$]",
    re.MULTILINE | re.DOTALL,
)


def marked(source: str) -> str:
    """The text that ``source`` writes with backticks and dollar signs. Raises ValueError if one has no partner."""
    return _MARKS.sub(_marked, source) if "`" in source or "$" in source else source


def _marked(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind is None:
        raise ValueError(f"{match[0]} at character {match.start() + 1} has no partner on its line")
    inside = match[kind]
    if kind == "listing":  # line by line, so that every surface can indent it
        return "\n".join(f"  {_in_marks(kind, line)}" for line in inside.split("\n"))
    return ("  " if kind == "display" else "") + _in_marks(kind, inside)


def _in_marks(kind: str, text: str) -> str:
    return f"{_OPEN[kind]}{text}{_CLOSE[kind]}"


def formula(text: str) -> str:
    """``text``, marked as a formula."""
    return _in_marks("formula", text)


def display(text: str) -> str:
    """``text``, marked as a displayed formula, for a line of its own."""
    return _in_marks("display", text)


def displayed(text: str) -> str:
    """``text`` as a displayed formula, if it is nothing but a formula."""
    return display(bare(text)) if [kind for kind, _ in pieces(text)] == ["formula"] else text


def bare(text: str) -> str:
    """``text`` without marks."""
    return text if text.isascii() else _ALL.sub("", text)


def plain(text: str) -> str:
    """``text`` in characters alone: formulas as they are typed, code in backticks."""
    return text if text.isascii() else bare(text.replace("\ue000", "`").replace("\ue00e", "`"))


def source(text: str) -> str:
    """What ``marked`` reads as ``text``."""
    if text.isascii():
        return text
    return bare(_PIECE.sub(lambda found: _SOURCE[found[1]].format(found[2]), _INDENT.sub(r"\1", _one_part(text))))


def pieces(text: str) -> Iterator[tuple[Kind | None, str]]:
    """The parts of ``text``, each with the kind of its mark; None for prose.

    A listing is one part, and the line breaks around it and around a displayed formula are no parts.
    """
    start, text = 0, _BLOCK.sub(r"\1", _one_part(text))
    for match in _PIECE.finditer(text):
        if match.start() > start:
            yield None, bare(text[start : match.start()])
        yield _KINDS[match[1]], bare(match[2])
        start = match.end()
    if start < len(text):
        yield None, bare(text[start:])


def lines(text: str) -> list[str]:
    """The lines of ``text``, a listing as one of them, and so are displayed formulas below each other."""
    return _LINE_END.split(_one_part(text))


def _one_part(text: str) -> str:
    """``text`` with each listing in one pair of marks, which ``marked`` makes line by line."""
    return _NEXT_LINE.sub("\n", text)


def on_own_lines(line: str) -> str:
    """``line`` with the reason for a displayed formula on a line of its own."""
    return _REASON.sub("\n      # ", line)


def inside(before: bool, char: str) -> bool:
    """Whether what follows ``char`` is within code or a formula, if what stands ``before`` it was."""
    return char in _KINDS or (before and char not in "\ue00e\ue00f")

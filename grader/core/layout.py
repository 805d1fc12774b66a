"""Layout of plain text in English and Chinese: its width on a terminal, line breaks, columns.

Chinese has no spaces to break at, and most of its characters take two cells, so ``textwrap`` and ``len`` do not work.
No line starts with a closing punctuation mark or ends with an opening one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from grader.core import marks
from grader.core.marks import plain

#: The default width of text, in terminal cells.
WIDTH = 80

_OPEN = "（「『【《〈“‘"
_CLOSE = "，。、；：？！）」』】》〉”’…"
_BEGIN = re.compile(rf" *(?:[-*] +|{marks.LISTING} *)?")


def cells(text: str) -> int:
    """The width of ``text`` on a terminal, in cells."""
    return len(text) if text.isascii() else sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if char in marks.BACKTICKS:
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Co"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int = WIDTH) -> list[str]:
    """``text`` in lines of at most ``width`` cells, in characters alone.

    Existing line breaks stay. Continuation lines keep the indentation of an indented line or list item. No line breaks
    within code or a formula, unless that is longer than a line; those of listings break at spaces.
    """
    return [plain(line) for line in wrap_marked(text, width)]


def wrap_marked(text: str, width: int = WIDTH) -> list[str]:
    """``text`` in lines as ``wrap`` has them, with its marks."""
    lines: list[str] = []
    rows = (row if cells(row) <= width else marks.on_own_lines(row) for row in text.rstrip().split("\n"))
    for line in "\n".join(rows).split("\n"):
        begin = next(_BEGIN.finditer(line))[0][: width // 2]
        # A listing is in marks line by line.
        hang, end = (begin, marks.END) if marks.LISTING in begin else (" " * len(begin), "")
        filled = [part.removesuffix(end) for part in _fill(line[len(begin) :], width - cells(begin))]
        lines += [((hang if at else begin) + part).rstrip() + end for at, part in enumerate(filled)]
    return lines


def _fill(text: str, width: int) -> Iterator[str]:
    line, used = "", 0
    for unit in _units(text):
        size = cells(unit)
        if used + size > width:
            if unit.isspace():
                used = width  # drop the blank; nothing may follow it on this line
                continue
            if line:
                yield line
            while size > width:
                head = _cut(unit, width)
                yield head
                unit = unit[len(head) :]
                size = cells(unit)
            line, used = unit, size
        elif line or not unit.isspace():
            line, used = line + unit, used + size
    yield line


def _units(text: str) -> Iterator[str]:
    """Splits ``text`` at the places where a line may break."""
    start, inside = 0, False
    for at in range(1, len(text)):
        inside = marks.inside(inside, text[at - 1])
        if not inside and _may_break(text[at - 1], text[at]):
            yield text[start:at]
            start = at
    yield text[start:]


def _may_break(before: str, after: str) -> bool:
    if before.isspace() or after.isspace():
        return before.isspace() != after.isspace()
    return (_cell(before) == 2 or _cell(after) == 2) and before not in _OPEN and after not in _CLOSE


def _cut(text: str, width: int) -> str:
    """The longest prefix of ``text`` of at most ``width`` cells, but at least one character."""
    used = 0
    for at, char in enumerate(text):
        used += _cell(char)
        if used > width:
            return text[: max(at, 1)]
    return text


def shorten(text: str, width: int) -> str:
    """``text``, cut to ``width`` cells with an ellipsis if it is longer."""
    return text if cells(text) <= width else _cut(text, width - 1).rstrip() + "…"


def shorten_distinct(texts: Iterable[str], width: int) -> dict[str, str]:
    """Maps each text to a version of at most ``width`` cells; versions that would be equal end with a digest."""
    short = {text: shorten(text, width) for text in texts}
    times = Counter(short.values())
    return {text: said if times[said] == 1 else _marked(text, width) for text, said in short.items()}


def _marked(text: str, width: int) -> str:
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_cut(text, width - len(mark) - 1).rstrip()}…{mark}" if cells(text) > width else text


def indent(text: str, by: int, width: int = WIDTH) -> str:
    """``text`` wrapped to ``width`` cells in all, with every line indented by ``by`` cells."""
    return "\n".join(" " * by + line if line else "" for line in wrap(text, width - by))


def pad(text: str, width: int, *, right: bool = False) -> str:
    """``text`` padded with spaces to ``width`` cells, aligned left or (``right``) right."""
    space = " " * (width - cells(text))
    return space + text if right else text + space


def columns(rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """The lines of a table; each column is as wide as its widest cell, and those in ``right`` are right-aligned."""
    table = [tuple(row) for row in rows]
    widths = [max(map(cells, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(pad(cell, widths[at], right=at in right) for at, cell in enumerate(row)).rstrip() for row in table
    ]

"""Convert texts of the course to HTML: paragraphs, lists and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from grader.report.html import visible

_CODE = re.compile(r"`([^`\n]+)`")


def prose(text: str) -> Markup:
    """``text`` with a paragraph for each line, a list for lines that begin with ``- ``, and `code` in backticks."""
    return Markup("\n").join(_blocks(text.strip().split("\n")))


def _blocks(lines: list[str]) -> Iterator[Markup]:
    entries: list[Markup] = []
    for line in [*lines, ""]:
        if line.startswith("- "):
            entries.append(Markup("<li>{}</li>").format(inline(line[2:])))
            continue
        if entries:
            yield Markup("<ul>{}</ul>").format(Markup("").join(entries))
            entries = []
        if line.strip():
            yield Markup("<p>{}</p>").format(inline(line))


def inline(line: str) -> Markup:
    """A line as HTML, with text in backticks as code."""
    parts = _CODE.split(visible(line))
    marked = [Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts)]
    return Markup("").join(marked)

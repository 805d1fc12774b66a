"""Texts as HTML: those of the course, and those of the terminal, to be laid out by a style sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from grader.core.model import Lang, Text
from grader.core.page import Page
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
    marked = [Markup("<code>{}</code>").format(part) if index % 2 else escape(part) for index, part in enumerate(parts)]
    return Markup("").join(marked)


class HtmlPage(Page):
    """Collects what is written to it as ``html``. Styles become CSS classes."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang
        self.width = 80
        self._parts: list[Markup] = []

    @property
    def html(self) -> Markup:
        """The HTML of everything written so far."""
        return Markup("\n").join(self._parts)

    def say(self, text: Text, **values: object) -> str:
        """See ``Page``; without advice on what to type in a terminal."""
        shown = text.fill(**values) if values else text
        return shown.on_page.of(self.lang).strip()  # the style sheet defines the spacing

    def blank(self) -> None:
        """Do nothing: the style sheet defines the spacing."""

    def rule(self) -> None:
        """Do nothing: the next section has a heading."""

    def lines(self, text: str, *, indent: int = 0, lead: str = "", style: str = "") -> None:
        """Write a paragraph. A lead such as ``→`` is decorative, so screen readers skip it."""
        sign = Markup('<span class="sign" aria-hidden="true">{}</span> ').format(lead.strip()) if lead.strip() else ""
        self._put_line(Markup("{}{}").format(sign, inline(text)), f"{style} {'inner' if indent else ''}")

    def row(self, left: Sequence[tuple[str, str]], right: str, *, style: str = "") -> None:
        """Write a paragraph with ``right`` at its end."""
        row = Markup('{} <span class="score">{}</span>').format(_pieces(left), inline(right))
        self._put_line(row, "row")

    def pieces(self, parts: Sequence[tuple[str, str]]) -> None:
        """Write a paragraph of styled pieces."""
        self._put_line(_pieces(parts), "")

    def _put_line(self, content: Markup, classes: str) -> None:
        self._parts.append(Markup('<p class="line {}">{}</p>').format(_classes(classes), content))


def _pieces(parts: Sequence[tuple[str, str]]) -> Markup:
    spans = (Markup('<span class="{}">{}</span>').format(_classes(style), inline(text)) for text, style in parts)
    return Markup("").join(spans)


def _classes(style: str) -> str:
    return " ".join(f"t-{name}" for name in style.split())

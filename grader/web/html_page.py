"""A ``Page`` that becomes HTML: the words of the terminal, laid out by a style sheet."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from grader.core.model import Lang
from grader.core.page import Page
from grader.web.prose import inline


class HtmlPage(Page):
    """Collects what is written to it; ``html`` is all of it. Styles become classes, indents become levels."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang
        self.width = 80
        self._parts: list[Markup] = []

    @property
    def html(self) -> Markup:
        """What was written so far."""
        return Markup("\n").join(self._parts)

    def blank(self) -> None:
        """Nothing: the style sheet sets distances."""

    def rule(self) -> None:
        """Nothing: what comes next has a heading."""

    def lines(self, text: str, *, indent: int = 0, lead: str = "", style: str = "") -> None:
        """A paragraph. A lead such as ``→`` is decoration, which screen readers leave out."""
        sign = Markup('<span class="sign" aria-hidden="true">{}</span> ').format(lead.strip()) if lead.strip() else ""
        self._put_line(Markup("{}{}").format(sign, inline(text)), f"{style} {'inner' if indent else ''}")

    def row(self, left: Sequence[tuple[str, str]], right: str, *, style: str = "") -> None:
        """A paragraph with something at its end."""
        said = Markup("").join(_piece(text, style) for text, style in left)
        self._put_line(Markup('{} <span class="score">{}</span>').format(said, inline(right)), "row")

    def pieces(self, parts: Sequence[tuple[str, str]]) -> None:
        """A paragraph of pieces."""
        self._put_line(Markup("").join(_piece(text, style) for text, style in parts), "")

    def _put_line(self, content: Markup, classes: str) -> None:
        names = " ".join(f"t-{name}" for name in classes.split())
        self._parts.append(Markup('<p class="line {}">{}</p>').format(names, content))


def _piece(text: str, style: str) -> Markup:
    names = " ".join(f"t-{name}" for name in style.split())
    return Markup('<span class="{}">{}</span>').format(names, inline(text))

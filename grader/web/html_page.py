"""A ``Page`` that renders the texts of the terminal as HTML, to be laid out by a style sheet."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from grader.core.model import Lang, Text
from grader.core.page import Page
from grader.web.prose import inline


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
        return text.fill(**values).on_page.of(self.lang) if values else text.on_page.of(self.lang)

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
        said = Markup("").join(_piece(text, style) for text, style in left)
        self._put_line(Markup('{} <span class="score">{}</span>').format(said, inline(right)), "row")

    def pieces(self, parts: Sequence[tuple[str, str]]) -> None:
        """Write a paragraph of styled pieces."""
        self._put_line(Markup("").join(_piece(text, style) for text, style in parts), "")

    def _put_line(self, content: Markup, classes: str) -> None:
        names = " ".join(f"t-{name}" for name in classes.split())
        self._parts.append(Markup('<p class="line {}">{}</p>').format(names, content))


def _piece(text: str, style: str) -> Markup:
    names = " ".join(f"t-{name}" for name in style.split())
    return Markup('<span class="{}">{}</span>').format(names, inline(text))

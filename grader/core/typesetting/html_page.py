"""A page (see ``grader.core.page``) as HTML, for browsers and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from grader.core.model import Lang, Text
from grader.core.page import Page
from grader.core.typesetting.html import prose, typeset


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
        classes = f"{style} {'inner' if indent else ''}"
        if "\n- " in text:
            self._parts.append(Markup('<div class="line {}">{}{}</div>').format(_classes(classes), sign, prose(text)))
        else:
            self._put_line(Markup("{}{}").format(sign, typeset(text)), classes)

    def row(self, left: Sequence[tuple[str, str]], right: str, *, style: str = "") -> None:
        """Write a paragraph with ``right`` at its end."""
        row = Markup('{} <span class="score">{}</span>').format(_pieces(left), typeset(right))
        self._put_line(row, "row")

    def pieces(self, parts: Sequence[tuple[str, str]]) -> None:
        """Write a paragraph of styled pieces."""
        self._put_line(_pieces(parts), "")

    def _put_line(self, content: Markup, classes: str) -> None:
        self._parts.append(Markup('<p class="line {}">{}</p>').format(_classes(classes), content))


def _pieces(parts: Sequence[tuple[str, str]]) -> Markup:
    spans = (Markup('<span class="{}">{}</span>').format(_classes(style), typeset(text)) for text, style in parts)
    return Markup("").join(spans)


def _classes(style: str) -> str:
    return " ".join(f"t-{name}" for name in style.split())

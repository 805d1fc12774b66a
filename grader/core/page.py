"""Styled lines on a console.

Lines are ``rich.text.Text`` objects, never markup, so that text from a learner cannot style, hide or move anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text as Styled

from grader.core.layout import cells, wrap, wrap_marked
from grader.core.marks import pieces
from grader.core.model import Lang, Message, Text
from grader.core.tables import texts
from grader.core.text import COMMA, SEMICOLON
from grader.core.typesetting import highlight

_WIDEST = 100
_PYTHON = {"comment": "dim", "string": "green", "number": "cyan", "keyword": "magenta", "name": "bold", "": ""}
_THEN = Message("{left}; {right}")


class PlainConsole(Console):
    """A console for screen readers: a ``Page`` writes no colours, rules, columns or marks to it."""


class Page:
    """Writes lines to a console, and wraps them itself because rich breaks Chinese text in the wrong places."""

    #: Whether it is a part of a notebook, in which learners call functions in place of commands.
    notebook = False

    def __init__(self, console: Console, lang: Lang) -> None:
        self._console = console
        self.lang = lang
        self.plain = isinstance(console, PlainConsole)
        self.width = min(console.width, _WIDEST)

    def say(self, text: Text, **values: object) -> str:
        """``text`` in the language of the page, with ``values`` filled in."""
        return text.fill(**values).of(self.lang) if values else text.of(self.lang)

    def listed(self, parts: Iterable[str]) -> str:
        """``parts`` with commas between them."""
        return self.say(COMMA).join(parts)

    def clauses(self, parts: Iterable[str]) -> str:
        """``parts`` with semicolons between them."""
        return self.say(SEMICOLON).join(parts)

    def blank(self) -> None:
        """Writes an empty line."""
        self._console.print()

    def lines(self, text: str, *, indent: int = 0, lead: str = "", style: str = "") -> None:
        """Writes ``text``, wrapped and indented by ``indent`` cells, with ``lead`` before its first line."""
        hang = indent + cells(lead)
        for index, line in enumerate(wrap_marked(text, self.width - hang)):
            begin, bare = " " * indent + lead if index == 0 else " " * hang, line.lstrip(" ")
            self._put(self._styled([(begin + " " * (len(line) - len(bare)), ""), (bare, style)]))

    def row(self, left: Sequence[tuple[str, str]], right: str, *, style: str = "") -> None:
        """Writes the pieces (text, style) at the left edge and ``right`` at the right edge, on more lines if needed."""
        text = self._styled(left)
        if self.plain:
            plain = text.plain.strip()
            self.lines(_THEN.fill(left=plain, right=right).of(self.lang) if plain and right else plain or right)
            return
        free = self.width - cells(text.plain) - cells(right)
        if free < 2:
            for line in wrap(text.plain, self.width):
                self._put(Styled(line, style=left[0][1]))
            text, free = Styled(), self.width - cells(right)
        self._put(text.append(" " * free).append(right, style))

    def pieces(self, parts: Sequence[tuple[str, str]]) -> None:
        """Writes styled pieces on one line; the caller makes sure that they fit."""
        self._put(self._styled(parts))

    def listing(self, source: str) -> None:
        """Writes Python, each line as it is; on a terminal, in lines that fit."""
        if self._console.is_terminal:
            source = "\n".join(part for line in source.split("\n") for part in _fitted(line, self.width))
        self._put(Styled().append_tokens(python(source)))

    def rule(self) -> None:
        """Writes a horizontal rule; an empty line for screen readers."""
        if self.plain:
            self.blank()
            return
        self._put(Styled("─" * self.width, style="dim"))

    def _styled(self, parts: Sequence[tuple[str, str]]) -> Styled:
        """The parts (text, style) as one line; colours mark code and formulas, too."""
        made = Styled()
        for text, style in parts:
            for kind, said in pieces(text):
                if kind == "listing":
                    made.append_tokens(python(said))
                elif kind == "code":
                    made.append(f"`{said}`", f"{style} cyan")
                else:
                    made.append(said, f"{style} italic" if kind else style)
        return made

    def _put(self, text: Styled) -> None:
        if self.plain:
            plain = text.plain
            for mark, word in texts(__file__, "spoken.yaml").items():
                plain = plain.replace(mark, word.of(self.lang))
            text = Styled(plain)
        self._console.print(text, no_wrap=True, overflow="ignore", crop=False)


def _fitted(line: str, width: int) -> list[str]:
    """A line of code in lines that fit: the comment after it comes first, and long code goes on, indented further."""
    begin = line[: len(line) - len(line.lstrip())]
    code, mark, comment = line.partition("  # ")
    if cells(line) <= width:
        return [line]
    if mark:
        return [*(f"{begin}# {part}" for part in wrap(comment, width - len(begin) - 2)), *_fitted(code, width)]
    first, *more = wrap(line.lstrip(), width - len(begin) - _FURTHER)
    return [begin + first, *(begin + " " * _FURTHER + part for part in more)]


#: So much further is code indented that goes on in the next line.
_FURTHER = 4


def python(source: str, start: int = 0, end: int | None = None) -> list[tuple[str, str]]:
    """``source[start:end]`` as pieces with the styles of Python."""
    return [(text, _PYTHON[kind]) for kind, text in highlight.parts(source, start, end)]

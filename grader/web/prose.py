"""Convert texts of the course to HTML: paragraphs, lists and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from grader.core.model import Text
from grader.report.html import visible

_CODE = re.compile(r"`([^`\n]+)`")
#: The commands of attncheck, by which messages for terminals say what to do.
COMMANDS = frozenset(
    ("bank batch debug doctor explain export forget grade hint inbox links name next override plot progress questions "
    "quiz regrade review serve show similar start stats submit watch").split()
)
#: A sentence with the mark that ends it. A dot within a word or a number ends none.
_SENTENCE = re.compile(r".+?(?:[.!?;](?=\s|$)|[。！？；]|$)\s*", re.S)
#: What only a terminal understands: an option, a command, or a file of the sources.
_TERMINAL = re.compile(
    rf"(?<![\w-])--[a-z]|\battncheck (?:{'|'.join(sorted(COMMANDS))})\b|['`](?:export|batch|regrade) |pip install|\bdocs/"
)
#: What a person typed, or what is called so.
_QUOTED = re.compile("“[^”]*”")
_NOT_HERE = Text(
    "This cannot be done on this page; the person who runs the server can help.",
    "这个页面上做不到，请找管理服务器的人。",
)


def prose(text: str) -> Markup:
    """``text`` with a paragraph for each line, a list for lines that begin with ``- ``, and `code` in backticks."""
    return Markup("\n").join(_blocks(text.strip().split("\n")))


def names_command(text: str) -> bool:
    """Whether ``text`` names something that can only be typed in a terminal. Quotations do not count."""
    return _TERMINAL.search(_QUOTED.sub("“”", text)) is not None


def without_commands(text: Text) -> Text:
    """A text that terminals and pages share, without the sentences that name a command or an option.

    Messages say what is wrong in one sentence, and what to type in another, so that pages can leave that out.
    """

    def kept(said: str) -> str:
        return "".join(each for each in _SENTENCE.findall(said) if not names_command(each)).strip()

    return Text(kept(text.en) or _NOT_HERE.en, kept(text.zh) or _NOT_HERE.zh)


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

"""Texts that terminals and pages share: pages leave out the sentences that name a command or an option.

A message says what is wrong in one sentence, and what to type in another.
"""

from __future__ import annotations

import re

from grader.core.model import Message, Text

#: The commands of attncheck, by which messages for terminals say what to do.
_NAMES = (
    "bank batch debug doctor explain export forget grade hint inbox links name next override plot progress questions "
    "quiz regrade review serve show similar start stats submit watch"
)
COMMANDS = frozenset(_NAMES.split())
#: A sentence with the mark that ends it. A dot within a word or a number ends none.
_SENTENCE = re.compile(r".+?(?:[.!?;](?=\s|$)|[。！？；]|$)\s*", re.S)
#: What only a terminal understands: an option, a command, or a file of the sources.
_TERMINAL = re.compile(
    rf"(?<![\w-])--[a-z]|\battncheck (?:{'|'.join(sorted(COMMANDS))})\b|['`](?:export|batch|regrade) |pip install"
    r"|\bdocs/"
)
#: What a person typed, or what is called so.
_QUOTED = re.compile("“[^”]*”")
_NOT_HERE = Message("This cannot be done on this page; the person who runs the server can help.")


def names_command(text: str) -> bool:
    """Whether ``text`` names something that can only be typed in a terminal. Quotations do not count."""
    return _TERMINAL.search(_QUOTED.sub("“”", text)) is not None


def without_commands(text: Text) -> Text:
    """``text`` for a page. If every sentence names a command, it says that this cannot be done there."""

    def kept(said: str) -> str:
        return "".join(each for each in _SENTENCE.findall(said) if not names_command(each)).strip()

    return Text(kept(text.en) or _NOT_HERE.en, kept(text.zh) or _NOT_HERE.zh)

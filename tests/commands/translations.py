"""What the help of a command says in one language only."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from grader.commands import _chinese
from grader.commands._options import ChineseHelp


def untranslated(command: click.Command) -> Iterator[str]:
    """What the help of ``command`` says in one language only."""
    said = _chinese.chinese_help(command)
    if said is None or not said.help:
        yield "no help in Chinese"
        return
    english = {_chinese.option_name(each): each.help or "" for each in command.params if isinstance(each, click.Option)}
    yield from (f"{name}: no help in Chinese" for name, text in english.items() if not _both(name, text, said))
    yield from (f"{name}: help in Chinese only" for name in said.options if name not in english)
    yield from (f"exit code {code}: Chinese only" for code in vars(command)["chinese"].exits if code not in said.exits)
    yield from (f"exit code {code}: English only" for code, text in said.exits.items() if text.isascii())
    if len(said.examples) != len(said.lines):
        yield f"{len(said.lines)} examples in English, {len(said.examples)} in Chinese"
    if len(inspect.cleandoc(command.help or "").split("\n\n")) != len(said.help.split("\n\n")):
        yield "not as many paragraphs in both languages"


def _both(name: str, english: str, said: ChineseHelp) -> bool:
    return name in said.options or english in _chinese.SHARED

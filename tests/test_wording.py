"""Texts for people use the project's words: a table of what they avoid, for all texts of the program and all pages."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

import pytest

import grader
from grader.core.model import Text

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(page for page in ROOT.glob("docs/*.md") if page.stem[:3] != "map")]
#: What English texts avoid (a regular expression), and what to write instead.
AVOID = {
    r"\bput(?:s|ting)? (?:it )?down\b": "save",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bhand(?:s|ed|ing)? in\b": "submit",
    r"\bsuffices?\b": "is enough",
    r"\bshall\b": "must",
    r"\bthereby\b": "so",
    r"\bwho(?:so)?ever\b": "anyone who",
    r"\bnot right yet\b": "not correct yet",
    r"\bcould not be marked\b": "could not be graded",
}
#: The same for Chinese.
AVOID_ZH = {r"[「」]": "“ ”"}
#: Runs in the process of the learner's code, and is imported there only.
_INSIDE = "grader.sandbox.inside."


def avoidable(text: str, avoid: dict[str, str]) -> list[str]:
    """What of the table ``avoid`` is in ``text``, and what to write instead."""
    line = " ".join(text.split())
    found = ((re.search(word, line, re.IGNORECASE), better) for word, better in avoid.items())
    return [f"“{match[0]}”: write {better} (in “{line[:120]}”)" for match, better in found if match]


@cache
def modules() -> tuple[str, ...]:
    """The names of all modules of the program, which are imported then."""
    names = (module.name for module in pkgutil.walk_packages(grader.__path__, "grader."))
    kept = tuple(name for name in names if not name.startswith(_INSIDE) and not name.endswith("__main__"))
    return tuple(importlib.import_module(name).__name__ for name in kept)


def strings(code: CodeType) -> Iterator[str]:
    """The literals in a function, those of functions in it included."""
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from strings(constant)


def test_texts_of_the_program() -> None:
    """In both languages."""
    assert len(modules()) > 200
    texts = {(text.en, text.zh) for text in gc.get_objects() if isinstance(text, Text)}
    assert len(texts) > 500
    assert [said for en, _ in texts for said in avoidable(en, AVOID)] == []
    assert [said for _, zh in texts for said in avoidable(zh, AVOID_ZH)] == []


def test_literals_in_functions() -> None:
    """Messages that a function makes on the spot, and docstrings."""
    ours = set(modules())
    functions = [each for each in gc.get_objects() if isinstance(each, FunctionType) and each.__module__ in ours]
    assert len(functions) > 2000
    literals = {text for function in functions for text in strings(function.__code__)}
    assert [said for text in sorted(literals) for said in avoidable(text, AVOID)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    """Help texts and the documentation of kinds are among them, since docs/cli.md and the like are made from those."""
    text = page.read_text("utf-8").partition("## Scoreboard")[0]
    assert avoidable(text, AVOID_ZH if ".zh." in page.name else AVOID) == []


def test_what_would_be_found() -> None:
    """Across the ends of lines, and in any case."""
    assert avoidable("Whoever has\nhanded\nin late shall wait.", AVOID) != []
    assert len(avoidable("Whoever has\nhanded\nin late shall wait.", AVOID)) == 3
    assert avoidable("「注意力」", AVOID_ZH) != []
    assert avoidable("Recommended: submit early.", AVOID) == []

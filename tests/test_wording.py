"""Texts for people use the project's words: a table of what they avoid, for all texts of the program and all pages."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import CodeType

import pytest
import yaml

import grader
from tests import catalogue

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(page for page in ROOT.glob("docs/*.md") if page.stem[:3] != "map")]
COURSE = sorted(ROOT.glob("questions/q*.yaml"))
#: What texts avoid (a regular expression), and what to write instead.
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
    r"\bin the place of\b": "in place of, or instead of",
    r"\bexactly what comes out\b": "would get",
    r"\bto and fro\b": "back and forth",
    r"\b(?:is|are) no powers?\b": "is not a",
    r"\bgiven back\b": "returned",
    r"\bcomputed anew\b": "recomputed",
    r"\bhow often does \w+ stand\b": "how often does … occur",
    r"\bthe way past\b": "the residual connection",
    r"\bstands? beside\b": "is next to",
    r"\b(?:what|which) is no [a-z]": "what is not a",
    r"\b(?:recogni|reali|summari|generali|speciali|standardi|penali|characteri|minimi|maximi)z\w+": "-ise",
    r"\b(?:behavior|neighbor|favor)\w*": "-our",
    "编程题": "练习",
    "批阅": "批改",
    r"「[^」]+」": "“ ”",
}
_ANY = re.compile("|".join(AVOID), re.IGNORECASE)
#: The modules of the program. The bundled course (`_content`) is only in a wheel.
MODULES = [
    module.name
    for module in pkgutil.walk_packages(grader.__path__, "grader.")
    if not module.name.startswith("grader._content")
]


def avoidable(text: str) -> list[str]:
    """What ``text`` should avoid, and what to write instead."""
    line = " ".join(text.split())
    if not _ANY.search(line):  # as nearly always
        return []
    found = ((re.search(word, line, re.IGNORECASE), better) for word, better in AVOID.items())
    return [f"“{match[0]}”: write {better} (in “{line[:120]}”)" for match, better in found if match]


def literals(code: CodeType) -> Iterator[str]:
    """The strings in compiled code, with those of the functions and classes in it."""
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from literals(constant)


def compiled(module: str) -> CodeType:
    """The code of a module, which is not run."""
    spec = find_spec(module)
    assert spec is not None and spec.loader is not None
    code = spec.loader.get_code(module)  # type: ignore[attr-defined]
    assert isinstance(code, CodeType)
    return code


def test_texts_of_the_program() -> None:
    """Texts of modules and templates, messages that a function makes on the spot, and docstrings."""
    found = {text for module in MODULES for text in literals(compiled(module))}
    found |= {str(entry.id) for entry in catalogue.read()}
    assert len(MODULES) > 200
    assert len(found) > 5000
    assert [said for text in sorted(found) for said in avoidable(text)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    """Help texts and the documentation of kinds are among them, since docs/cli.md and the like are made from those."""
    assert avoidable(page.read_text("utf-8").partition("## Scoreboard")[0]) == []


def test_questions() -> None:
    """The texts of the course, in both languages. Comments and code are no texts."""
    found = {text for page in COURSE for text in told(yaml.load(page.read_text("utf-8"), yaml.CSafeLoader))}
    assert len(found) > 3000
    new = [text for text in sorted(found) if "「" not in text]  # as older texts quote
    assert [said for text in new for said in avoidable(text)] == []


def test_prompts_are_short() -> None:
    """A prompt begins with what to do, and has at most 250 words, or 450 Chinese characters."""
    prompts = [yaml.load(page.read_text("utf-8"), yaml.CSafeLoader)["prompt"] for page in COURSE]
    assert {text["en"].split()[0] for text in prompts} == {"Write", "Count"}
    assert max(len(text["en"].split()) for text in prompts) <= 250
    assert max(len(re.findall(r"[\u4e00-\u9fff]", text["zh"])) for text in prompts) <= 450


#: A drawn number plus something: learners would see “40 + 10” where a number is meant.
_SUM = re.compile(r"\{\w+\} \+ \d+|\d+ \+ \{\w+\}")


def sums(item: dict[str, object]) -> list[str]:
    """The sums of a drawn number and a constant in what ``item`` asks."""
    return [match[0] for text in told({"ask": item["ask"]}) for match in _SUM.finditer(text)]


def test_questions_show_numbers_and_not_sums() -> None:
    """A number that depends on a drawn one is drawn itself, or written with its digits (``{v}4``)."""
    items = [item for page in COURSE for item in yaml.load(page.read_text("utf-8"), yaml.CSafeLoader)["items"]]
    assert {item["id"]: found for item in items if "draw" in item and (found := sums(item))} == {}
    assert sums({"ask": {"en": "The values are {v}, {v} + 10.", "zh": "值是 4 + {c}。"}}) == ["{v} + 10", "4 + {c}"]


def told(node: object) -> Iterator[str]:
    """The texts under ``en`` and ``zh``, wherever they are."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("en", "zh") and isinstance(value, str):
                yield value
            else:
                yield from told(value)
    elif isinstance(node, list):
        for value in node:
            yield from told(value)


def test_what_would_be_found() -> None:
    """Across the ends of lines, in any case, and in functions; but not in a part of a word."""
    assert len(avoidable("Whoever has\nhanded\nin late shall wait.")) == 3
    assert len(avoidable("「注意力」")) == 1
    assert avoidable("Recommended: submit early.") == []
    code = compile("def outer():\n    def inner(x):\n        return f'mend {x}'\n    return inner", "here", "exec")
    assert [text for text in literals(code) if avoidable(text)] == ["mend "]

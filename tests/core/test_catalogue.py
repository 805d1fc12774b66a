"""The Chinese of the program's texts."""

from __future__ import annotations

import pickle
import string
from collections.abc import Iterator

import pytest
import yaml

from grader.authoring.typesetting import wrong_marks
from grader.core import catalogue
from grader.core.marks import marked
from grader.core.model import Message, Text
from tests import catalogue as pages

ENTRIES = [entry for entry in pages.read() if entry.id]
#: Texts that are never typeset.
IN_CHARACTERS = {"size of ∂weights/∂scores", "scaled_scores"}  # an axis and a legend, which are SVG


def test_the_catalogue_is_that_of_the_texts() -> None:
    """Every text of the program has its Chinese, no other does, and what is compiled is what people edit."""
    assert not [(entry.locations, entry.id) for entry in ENTRIES if not entry.string], "add the Chinese to zh.po"
    assert pages.as_po(pages.current()) == pages.PO.read_bytes(), "run `make messages`"
    assert pages.as_mo(pages.read()) == pages.MO.read_bytes(), "run `make messages`"


def test_both_languages_fill_in_the_same() -> None:
    """The places to fill in, the paragraphs, and the marks for paragraphs that keep their lines are the same."""
    for entry in ENTRIES:
        english, chinese = str(entry.id), str(entry.string)
        if entry.python_brace_format or "{" in english:
            assert _fields(english) == _fields(chinese), english
        assert english.count("\n\n") == chinese.count("\n\n"), english
        assert english.count("\b") == chinese.count("\b"), english


def test_formulas_and_code_are_marked() -> None:
    """Both languages mark the same; outside of marks are no signs of mathematics and no names of programs.

    Help texts are left out: click shows their characters as they are.
    """
    texts = [entry for entry in ENTRIES if entry.locations[0][0] != "help"]
    wrong = {entry.id: [*wrong_marks(Text(marked(entry.id), marked(entry.string)))] for entry in texts}
    assert len(wrong) > 2000
    assert {text: found for text, found in wrong.items() if found and text not in IN_CHARACTERS} == {}
    assert {text for text in IN_CHARACTERS if not wrong[text]} == set()


def test_tables_say_the_same_in_both_languages() -> None:
    """What a table fills in and marks in English, it fills in and marks in Chinese."""
    tables = (yaml.safe_load(path.read_text("utf-8")) for path in pages.GRADER.rglob("*.yaml"))
    texts = [text for table in tables for text in _texts(table)]
    assert len(texts) > 300
    for english, chinese in texts:
        assert _fields(english) == _fields(chinese), english
        wrong = wrong_marks(Text(marked(english), marked(chinese)))
        assert [said for lang, said in wrong if not lang] == [], english


def _texts(table: object) -> Iterator[tuple[str, str]]:
    """Texts in both languages, anywhere in a table."""
    if isinstance(table, dict) and table.keys() == {"en", "zh"}:
        yield str(table["en"]), str(table["zh"])
    elif isinstance(table, dict | list):
        for part in table.values() if isinstance(table, dict) else table:
            yield from _texts(part)


def _fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}


@pytest.mark.parametrize(
    ("context", "chinese"), [("", "得分"), ("given by hand", "分数"), ("no such context", "Points")]
)
def test_a_context_tells_apart_what_only_english_has_in_common(context: str, chinese: str) -> None:
    """Each context has its own Chinese; what is not in the catalogue stays English, which the first test finds."""
    assert Message("Points", context).zh == chinese == catalogue.chinese("Points", context)


def test_messages_are_texts() -> None:
    """A message equals the text that says the same, also after it has travelled to another process."""
    message, text = Message("Points"), Text("Points", "得分")
    assert message == text and hash(message) == hash(text) and repr(message) == repr(text)
    assert message != Text("Points", "分数") and message != "Points"
    assert pickle.loads(pickle.dumps(message)) == text
    assert Message("").of("zh") == ""

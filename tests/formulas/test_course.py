"""The course's derivations: what is equal is found equal, however it is written, and what is not is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.formulas.compare import Counterexample, ValueTable, compare_formulas
from grader.formulas.declarations import Declarations, read_declarations
from grader.formulas.errors import FormulaError
from grader.formulas.growth import same_growth
from grader.formulas.parse import parse
from grader.formulas.printer import show
from grader.formulas.tokens import names

TOPICS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("course.yaml").read_text("utf-8"))


def declared(topic: dict[str, Any]) -> Declarations:
    """What the names of a topic stand for."""
    return read_declarations(topic["symbols"], topic.get("given", {}))


def cases(key: str) -> list[Any]:
    """Every group of lines under ``key``, with its topic."""
    return [
        pytest.param(topic, list(map(str, group)), id=f"{topic['topic']}: {group[0]}")
        for topic in TOPICS
        for group in topic.get(key, [])
    ]


@pytest.mark.parametrize(("topic", "lines"), cases("equal"))
def test_equal_lines_are_found_equal(topic: dict[str, Any], lines: list[str]) -> None:
    """Whatever the notation; the one of messages and keys, which learners may type too, means the same."""
    known = declared(topic)
    read = [parse(line, known.vocabulary) for line in lines]
    again = [parse(show(node), known.vocabulary) for node in read]
    assert [show(node) for node in again] == [show(node) for node in read]
    table = ValueTable(known, [*read, *again])
    wrong = [line for at, line in enumerate([*lines, *map(show, again)]) if table.counterexample(0, at)]
    assert not wrong


@pytest.mark.parametrize(("topic", "lines"), cases("different"))
def test_different_lines_are_found_different(topic: dict[str, Any], lines: list[str]) -> None:
    """With an instance where both have a value that can be shown."""
    known = declared(topic)
    left, right = (parse(line, known.vocabulary) for line in lines)
    found = compare_formulas(left, right, known)
    assert isinstance(found, Counterexample)
    assert found.left != found.right
    assert "…" not in found.left + found.right


@pytest.mark.parametrize(("topic", "lines"), cases("grows"))
def test_equal_growth(topic: dict[str, Any], lines: list[str]) -> None:
    """Constants and dominated terms do not count."""
    known = declared(topic)
    first, *others = (parse(line, known.vocabulary) for line in lines)
    assert all(same_growth(first, other, known) and same_growth(other, first, known) for other in others)


@pytest.mark.parametrize(("topic", "lines"), cases("grows-not"))
def test_different_growth(topic: dict[str, Any], lines: list[str]) -> None:
    """Powers, logarithms and terms that nothing dominates do."""
    known = declared(topic)
    left, right = (parse(line, known.vocabulary) for line in lines)
    assert not same_growth(left, right, known)
    assert not same_growth(right, left, known)


@pytest.mark.parametrize(("topic", "lines"), cases("refused"))
def test_what_cannot_be_read_or_does_not_fit_is_told_in_words(topic: dict[str, Any], lines: list[str]) -> None:
    """In both languages."""
    known = declared(topic)
    text, words = lines
    with pytest.raises(FormulaError) as caught:
        node = parse(text, known.vocabulary)
        compare_formulas(node, node, known)
    assert words in str(caught.value)
    assert any("\u4e00" <= char <= "\u9fff" for char in caught.value.text.zh)


def test_every_function_is_in_the_table() -> None:
    """A name or spelling that no line here uses is one that no learner needs."""
    lines = [
        str(line) for topic in TOPICS for key in ("equal", "grows") for group in topic.get(key, []) for line in group
    ]
    words = set(re.findall(r"[^\W\d_]+(?:_?2|_hot|10|1p?)?", " ".join(lines)))
    assert {name for name in (*names("functions"), *names("aliases")) if name not in words} == set()


def test_the_table_is_large() -> None:
    """It covers every derivation of the course in many notations, right and wrong."""
    asked = {"Q3", "Q4", "Q7", "Q8", "Q14", "Q15", "Q16", "Q17", "Q18", "Q19", "Q21", "Q22", "Q23", "Q24"}
    assert asked <= {word for topic in TOPICS for word in topic["topic"].split()}
    right = {line for topic in TOPICS for group in topic.get("equal", []) for line in map(str, group)}
    assert len(right) > 250
    assert sum(len(topic.get("different", [])) for topic in TOPICS) > 90

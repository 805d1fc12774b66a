"""Answers that people tried on the bank: the right ones pass, the wrong ones fail, the unread ones cost nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.core import arithmetic
from grader.core.model import Item, Status
from grader.course import items
from grader.course.items import Context
from grader.grading import courses

ROOT = Path(__file__).parents[3]
#: Those of a review, and those that were written later, before anybody looked at how they would be judged.
TABLES: dict[str, dict[str, dict[str, list[str | list[str]]]]] = {
    name: yaml.safe_load(Path(__file__).with_name(f"{name}_answers.yaml").read_text("utf-8"))
    for name in ("review", "fresh", "further", "later")
}
EXPECTED = {
    "right": (Status.PASSED, True),
    "wrong": (Status.FAILED, True),
    "unread": (Status.FAILED, False),
}


@pytest.fixture(scope="module")
def bank() -> dict[str, Item]:
    """The items of the course by id."""
    return {item.id: item for question in courses.load(ROOT).questions for item in question.items}


def filled(text: str, symbols: dict[str, int | float]) -> str:
    """``text`` with the value of each ``{= … }``, to six digits."""

    def value(found: re.Match[str]) -> str:
        rounded = re.fullmatch(r"\s*round\((.*)\*100\)/100(.*)", found[1])
        if rounded:
            near = round(float(arithmetic.evaluate(rounded[1], symbols)), 2)
            return f"{arithmetic.evaluate(f'{near}{rounded[2]}', symbols):.4g}"
        number = arithmetic.evaluate(found[1], symbols)
        return str(number) if isinstance(number, int) or number != int(number) else str(int(number))

    return re.sub(r"\{= ([^{}]*)\}", value, text)


def answers(given: list[str | list[str]], item: Item) -> Iterator[tuple[str, tuple[Status, bool]]]:
    """The answers of one list, each with its status and whether it was read."""
    for learner in ("ada", "bo"):
        context = Context("attncheck", learner, item.id)
        symbols: Any = items.draw(item.spec, context)
        for answer in given:
            text = filled(answer, symbols) if isinstance(answer, str) else answer
            found = items.judge(item, text, context)
            yield str(text), (found.status, found.readable)


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, names in TABLES.items() for name in names])
def test_answers_are_judged_as_a_teacher_would(bank: dict[str, Item], table: str, name: str) -> None:
    """Whoever gets which numbers."""
    given = TABLES[table][name]
    assert given.keys() <= EXPECTED.keys()
    for verdict, wanted in EXPECTED.items():
        found = {text: said for text, said in answers(given.get(verdict, []), bank[name]) if said != wanted}
        assert not found, verdict

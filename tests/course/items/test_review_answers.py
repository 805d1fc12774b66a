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
TABLE: dict[str, dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("review_answers.yaml").read_text("utf-8")
)
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


def answers(name: str, verdict: str, item: Item) -> Iterator[tuple[str, tuple[Status, bool]]]:
    """The answers of one list, each with its status and whether it was read."""
    for learner in ("ada", "bo"):
        context = Context("attncheck", learner, name)
        symbols: Any = items.draw(item.spec, context)
        for answer in TABLE[name].get(verdict, []):
            text = filled(answer, symbols)
            found = items.judge(item, text, context)
            yield text, (found.status, found.readable)


@pytest.mark.parametrize("verdict", EXPECTED)
@pytest.mark.parametrize("name", TABLE)
def test_answers_are_judged_as_a_teacher_would(bank: dict[str, Item], name: str, verdict: str) -> None:
    """Whoever gets which numbers."""
    found = {text: said for text, said in answers(name, verdict, bank[name]) if said != EXPECTED[verdict]}
    assert not found

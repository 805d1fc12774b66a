"""Answers that people tried on the bank: the right ones pass, the wrong ones fail, the unread ones cost nothing.

They are in ``answers/KIND.yaml``, where {= … } stands for the value of arithmetic over the numbers that the learner
drew. Most were written from the questions alone, before anybody looked at how they would be judged. At first, 641 of
these 730 right ones were accepted, 87 were not read and 2 were judged wrong; of 470 wrong ones none was accepted.
"""

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
#: The lists of answers by kind of item, id of the item and verdict.
ANSWERS: dict[str, dict[str, dict[str, list[str | list[str]]]]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted(Path(__file__).with_name("answers").glob("*.yaml"))
}
EXPECTED = {"right": (Status.PASSED, True), "wrong": (Status.FAILED, True), "unread": (Status.FAILED, False)}


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


SLOW = {"Q16.relative": pytest.mark.prove, "Q17.chain": pytest.mark.prove}
NAMED = [pytest.param(kind, name, marks=SLOW.get(name, ())) for kind, names in ANSWERS.items() for name in names]


@pytest.mark.parametrize(("kind", "name"), NAMED)
def test_answers_are_judged_as_a_teacher_would(bank: dict[str, Item], kind: str, name: str) -> None:
    """Whoever gets which numbers."""
    given = ANSWERS[kind][name]
    assert bank[name].kind == kind
    assert given.keys() <= EXPECTED.keys()
    for verdict, expected in EXPECTED.items():
        judged = answers(given.get(verdict, []), bank[name])
        different = {text: judgement for text, judgement in judged if judgement != expected}
        assert not different, verdict

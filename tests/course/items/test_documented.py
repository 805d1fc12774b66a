from __future__ import annotations

import random

import pytest

from grader.core.errors import CourseError
from grader.core.model import Item, Status, Text
from grader.core.yaml_positions import parse
from grader.course import items, schema, schema_problems
from tests import documentation

COMMON = 'id: Q1.example\nask: {en: "How? {n}", zh: "怎样？{n}"}\n'
LEARNERS = [items.Context("spring", name, "Q1.example") for name in ("ada", "bo", "cy", "dia", "eve", "fay")]
ADA = LEARNERS[0]
KINDS = pytest.mark.parametrize("kind", items.kinds())


def documented(kind: str, heading: str, language: str) -> str:
    """The block of ``language`` in a section of the kind's documentation."""
    (block,) = documentation.blocks(documentation.read(items.kinds()[kind].__doc__)[heading], language)
    return block


def read(kind: str) -> Item:
    """The example of the documentation, as it would be read from a question file."""
    value = parse(COMMON + documented(kind, "Example", "yaml"), f"{kind}.py", CourseError).value
    model = schema_problems.validate(schema._item_model(kind), value)
    assert not isinstance(model, list), model
    item: Item = model.build()
    return item


@KINDS
def test_examples_are_items(kind: str) -> None:
    """They can be copied as they are."""
    item = read(kind)
    assert item.kind == kind
    assert list(items.kinds()[kind].validate(item.spec)) == []
    assert items.ask(item, ADA).how
    assert items.key(item, ADA) != Text("", "")


@KINDS
def test_answers_are_correct(kind: str) -> None:
    """Each line (or all of them, where an answer has several), as typed and as YAML; for one of some learners where

    each has numbers of their own.
    """
    item, block = read(kind), documented(kind, "Answer", "text")
    several = items.ask(item, ADA).form == "lines"
    for text in [block] if several else block.splitlines():
        for answer in (text, parse(text, "answers.yaml", CourseError).value if not several else text):
            judged = [items.judge(item, answer, learner) for learner in LEARNERS]
            if kind == "text":
                assert all(each.status is Status.PENDING and each.readable for each in judged), (answer, judged[0])
            else:
                assert any(each.status is Status.PASSED and each.fraction == 1 for each in judged), (answer, judged[0])


def hostile(dice: random.Random, depth: int = 3) -> object:
    """Anything that YAML or a person at the keyboard could come up with, and more."""
    signs = "abcd1234 ,;:>→-_()[]{}^*/+.%√²，；：（）、。不n\x00\x1b\ud800\u202e{said}"
    leaves: list[object] = [None, True, -1, 0, 3, 10**5000, -(10**400), 1e308, float("nan"), float("inf"), b"a", ""]
    choice = dice.randrange(8 if depth else 6)
    if choice < 4:
        return "".join(dice.choices(signs, k=dice.choice([1, 5, 30, 300])))
    if choice < 6:
        return dice.choice(leaves)
    parts = [hostile(dice, depth - 1) for _ in range(dice.randrange(5))]
    if choice == 6:
        return parts
    return {part if isinstance(part, (str, int, type(None))) else "a": hostile(dice, depth - 1) for part in parts}


@KINDS
def test_no_answer_is_an_exception(kind: str) -> None:
    """Whatever it is; and it is worth something between nothing and all."""
    item, dice = read(kind), random.Random(kind)
    for _ in range(300):
        found = items.judge(item, hostile(dice), ADA)
        assert 0 <= found.fraction <= 1
        assert found.readable or found.message is not None

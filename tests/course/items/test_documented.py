from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from grader.core.errors import CourseError
from grader.core.model import Item, Status, Text
from grader.core.yaml_positions import parse
from grader.course import items, schema
from grader.course.schema_problems import validate

DOCS = Path(__file__).parents[3] / "docs" / "items.md"
EXAMPLES = re.findall(r"```yaml\n(kind: (\w+)\n.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
COMMON = 'id: Q1.example\nask: {en: "How? {n}", zh: "怎样？{n}"}\n'
ADA = items.Context("spring", "ada", "Q1.example")


def read(text: str, kind: str) -> Item:
    """An example of the documentation, as it would be read from a question file."""
    value = parse(COMMON + text, "items.md", CourseError).value
    model = validate(schema._item_model(kind), value)
    assert not isinstance(model, list), model
    item: Item = model.build()
    return item


def test_every_kind_is_documented() -> None:
    """With its keys; those that are about formulas stand elsewhere."""
    documented = set(re.findall(r"^## (\w+)$", DOCS.read_text("utf-8"), re.MULTILINE))
    assert set(items.kinds()) - {"expression", "derivation"} <= documented


@pytest.mark.parametrize(("text", "kind"), EXAMPLES, ids=[kind for _, kind in EXAMPLES])
def test_examples_are_items(text: str, kind: str) -> None:
    """They can be copied as they are."""
    item = read(text, kind)
    assert list(items.kinds()[kind].faults(item.spec)) == []
    assert items.ask(item, ADA).how


@pytest.mark.parametrize(
    ("kind", "answers"),
    [
        ("choice", ["b"]),
        ("order", [["c", "a", "d", "b"], "c a d b", "c > a > d > b", "c→a→d→b", "cadb", "c d a b"]),
        ("match", [{"a": 2, "b": 1}, "a2 b1", "a-2, b-1", "a→2；b→1", "2a 1b"]),
        ("shape", ["(batch, h, n, d_k)", ["B", "h", "n", "d_model / h"], "batch×h×n×dk", "batch h n d_k"]),
        ("text", ["The scores get larger and larger with d_k.", "d_k 越大，分数的方差也越大，会变大很多"]),
    ],
)
def test_the_answers_of_the_documentation_pass(kind: str, answers: list[object]) -> None:
    """In all the ways that are shown."""
    (text,) = (text for text, name in EXAMPLES if name == kind)
    item = read(text, kind)
    for answer in answers:
        assert items.judge(item, answer, ADA).status is Status.PASSED, answer
    assert items.key(item, ADA) != Text("", "")


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


@pytest.mark.parametrize(("text", "kind"), EXAMPLES, ids=[kind for _, kind in EXAMPLES])
def test_no_answer_is_an_exception(text: str, kind: str) -> None:
    """Whatever it is; and it is worth something between nothing and all."""
    item, dice = read(text, kind), random.Random(kind)
    for _ in range(300):
        found = items.judge(item, hostile(dice), ADA)
        assert 0 <= found.fraction <= 1
        assert found.readable or found.message is not None

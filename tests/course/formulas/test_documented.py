"""What docs/formulas.md says can be written, is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.core.errors import CourseError
from grader.core.model import Item, Status, Text
from grader.core.yaml_positions import parse
from grader.course import items, schema, schema_problems
from grader.course.items import expression
from tests import documentation

PAGE = (Path(__file__).parents[3] / "docs" / "formulas.md").read_text("utf-8")
CONTEXT = items.Context("spring", "ada", "Q1.example")

NUMBERS = {name: "positive integer" for name in ("n", "d", "a", "b", "d_k", "d_model", "i", "j", "t")} | {"θ": "real"}
VECTORS = {"d": "positive integer", "n": "positive integer", "q": "vector(d)", "k": "vector(d)"}
SQUARE = {name: "matrix(2, 2)" for name in ("Q", "K", "V", "A", "B", "W", "R", "S")}
#: What the names of a formula stand for: one of these has to fit.
WORLDS: list[tuple[Mapping[str, str], Mapping[str, str]]] = [
    (NUMBERS, {}),
    (NUMBERS | {"c": "real"}, {}),
    (VECTORS, {}),
    (VECTORS | {"i": "index(d)", "j": "index(d)"}, {}),
    (SQUARE | {"x": "vector(2)", "q": "vector(2)", "k": "vector(2)", "i": "index(2)", "j": "index(2)"}, {}),
    (SQUARE | {"x": "row(2)"}, {}),
    ({"d": "positive integer"}, {"q": "iid(mean=0, var=1, size=d)", "k": "iid(mean=0, var=1, size=d)"}),
    ({"R": "rotation", "θ": "real", "m": "integer", "n": "integer"}, {}),
    ({"x": "real", "y": "x^2 (definition)"}, {}),
    ({"x": "vector(2)", "y": "x·x (definition)", "F": "map(2, 2)"}, {}),
]


def examples() -> list[str]:
    """The formulas in the table, without the row of functions and what the table says not to write."""
    table = PAGE.partition("|---|---|\n")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines() if not line.startswith("| functions")]
    spans = [span for row in rows for span in row.replace("(not `1/2d`", "").split("`")[1::2]]
    return [span for span in spans if span != "d"]


def is_read(text: str) -> bool:
    """Whether some of the worlds read ``text``, as a formula or as a growth rate."""
    for symbols, given in WORLDS:
        for grows in (False, True):
            spec = expression.Spec(symbols, "O(n)" if grows else "1", given, grows)
            item = Item("Q1.example", "expression", Text("?", "？"), 1.0, "graded", spec)
            if items.judge(item, text, CONTEXT).readable:
                return True
    return False


def test_the_table_is_true() -> None:
    """Every example can be read; what is said to be refused is."""
    found = examples()
    assert len(found) > 80
    assert [text for text in found if not is_read(text)] == []
    assert not is_read("1/2d")


@pytest.mark.parametrize("text", documentation.blocks(PAGE, "yaml"))
def test_the_items_are_true(text: str) -> None:
    """They can be copied as they are, and their own keys pass."""
    value = parse('id: Q1.example\nask: {en: "?", zh: "？"}\n' + text, "formulas.md", CourseError).value
    model = schema_problems.validate(schema._item_model(value["kind"]), value)
    assert not isinstance(model, list), model
    item: Item = model.build()
    assert list(items.kinds()[item.kind].validate(item.spec)) == []
    assert items.judge(item, items.key(item, CONTEXT).en, CONTEXT).status is Status.PASSED

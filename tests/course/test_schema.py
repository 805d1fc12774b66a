from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from grader.core.model import Parameter, Text
from grader.core.text import show_path
from grader.course import items
from grader.course import schema as edge
from grader.course.problems import ValueProblem
from grader.course.schema_problems import validate

QUESTION: dict[str, Any] = {
    "id": "Q5",
    "title": {"en": "T", "zh": "题"},
    "group": "self-attention",
    "prompt": {"en": "P", "zh": "请"},
}
ITEM: dict[str, Any] = {"id": "Q5.size", "kind": "number", "ask": {"en": "A", "zh": "问"}, "answer": 4, "from": "here"}


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something nested in a spec."""

    answer: float | str
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """What an item kind of a later day could ask for."""

    answer: float | str
    from_: str
    wrong: tuple[Wrong, ...] = ()
    tolerance: float = 0.0


@pytest.fixture(autouse=True)
def _number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second kind, as another file in the folder would make it."""
    number = ModuleType("number")
    vars(number).update(Spec=Spec, __doc__="A number.")
    known = {**items.kinds(), "number": number}
    monkeypatch.setattr(items, "kinds", lambda: known)


def test_a_kind_brings_its_keys_along() -> None:
    """The fields of ``Spec`` are the keys of the item; ``from_`` is the key that Python cannot name."""
    found = validate(edge.question_file({}), QUESTION | {"items": [ITEM | {"wrong": [{"answer": "2"}]}]})
    assert not isinstance(found, list)
    (item,) = found.build("questions/q05.yaml", {}).items
    assert item.spec == Spec(4, "here", (Wrong("2"),))
    schema = edge.question_file({}).model_json_schema()
    assert schema["$defs"]["NumberItem"]["required"] == ["id", "kind", "ask", "answer", "from"]
    assert schema["$defs"]["NumberItem"]["description"] == "A number."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"kind": "numbre"},
            {f"items[0].kind: found 'numbre'; expected one of: {', '.join(items.kinds())}; did you mean 'number'?"},
        ),
        ({"from": 1}, {'items[0].from: found 1; expected a text: write "1", in quotes'}),
        ({"tolerance": True}, {"items[0].tolerance: found true; expected a number"}),
        ({"wrong": [{}]}, {"items[0].wrong[0].answer: missing; expected a number or a text"}),
        (
            {"wrong": [{"answer": 1, "nothing": 2}]},
            {"items[0].wrong[0].nothing: found 'nothing'; expected one of the keys: answer, note"},
        ),
        ({"answer": [1]}, {"items[0].answer: found [1]; expected a number or a text"}),
        (
            {"wrong": [{"answer": 1, "note": {"en": "N"}}]},
            {"items[0].wrong[0].note.zh: missing; expected a text; every text is written in English and in Chinese"},
        ),
    ],
)
def test_its_keys_are_checked_like_all_others(change: dict[str, Any], said: set[str]) -> None:
    """Nothing has to be written for a kind's faults to have a place and a reason."""
    found = validate(edge.question_file({}), QUESTION | {"items": [ITEM | change]})
    assert isinstance(found, list)
    assert {line(fault) for fault in found} == said


def line(fault: ValueProblem) -> str:
    """A fault without file and line."""
    return f"{show_path(fault.path)}: {fault.text}"


def test_a_spec_cannot_take_a_key_of_every_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """An author of a kind learns at once that ``points`` is taken."""

    @dataclass(frozen=True)
    class Greedy:
        points: float

    monkeypatch.setattr(items.kinds()["number"], "Spec", Greedy)
    with pytest.raises(TypeError, match=r"grader/course/items/number\.py: Spec\.points"):
        edge.question_file({})


@pytest.mark.parametrize(
    ("signature", "parameters"),
    [
        ("()", []),
        ("(x)", [("x", True)]),
        ("(q, k=None, *, base=1)", None),
        ("(x, axis=-1, base=10000.0)", [("x", True), ("axis", False), ("base", False)]),
        ("(x) -> int", None),
        ("(x): return 1 #", None),
        ("(x, x)", None),
        ("(x=" + "-" * 100_000 + "1)", None),
        ("x", None),
    ],
)
def test_signatures_are_plain_parameters(signature: str, parameters: list[tuple[str, bool]] | None) -> None:
    """Names, with or without a default; nothing else fits the contract."""
    found = validate(edge.ExerciseSchema, {"signature": signature})
    assert isinstance(found, list)
    refused = [fault.text for fault in found if fault.path == ("signature",)]
    if parameters is None:
        assert "plain Python parameters" in refused[0]
    else:
        assert refused == []
        assert edge.parameters(signature) == tuple(Parameter(name, required) for name, required in parameters)

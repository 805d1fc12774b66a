from __future__ import annotations

import pytest

from grader.core.model import Status
from grader.core.text import show_path
from grader.course.items import Context, Judgment, choice, kinds
from grader.course.items.choice import Option, Spec
from tests.helpers import option

CONTEXT = Context("course", "ada", "Q5.output")


SPEC = Spec((option("a", misconception="sum"), option("b", correct=True), option("C"), option("4")))


def test_the_folder_is_the_list() -> None:
    """A kind is there because its file is."""
    assert kinds()["choice"] is choice
    parts = ("Spec", "validate", "judge", "prompt", "key", "without_key")
    assert all(hasattr(module, name) for module in kinds().values() for name in parts)


@pytest.mark.parametrize("value", ["b", "B", " b ", "b\n"])
def test_the_right_option_passes(value: object) -> None:
    """Case and spaces around the id do not matter."""
    assert choice.judge(SPEC, value, CONTEXT) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("value", "misconception"), [("a", "sum"), ("A", "sum"), ("c", None), ("ｃ", None), ("4", None), (4, None)]
)
def test_a_wrong_option_names_its_misconception(value: object, misconception: str | None) -> None:
    """What is true instead is told by the misconception, so the judgement has no words of its own."""
    (option,) = choice.chosen(SPEC, value)
    assert choice.judge(SPEC, value, CONTEXT) == Judgment(Status.FAILED, 0.0, None, misconception, place=option)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("d", "d"),
        ("", ""),
        (7, "7"),
        ("x" * 100, "x" * 39 + "…"),
        ("\x1b[31mred", "[31mred"),
        ("{0}", "{0}"),
        ("ab", "ab"),
    ],
)
def test_an_unknown_option_is_told_the_possible_ones(value: object, said: str) -> None:
    """The learner's own words come back short and printable, beside the ids there are."""
    found = choice.judge(SPEC, value, CONTEXT)
    assert (found.status, found.fraction, found.misconception) == (Status.FAILED, 0.0, None)
    assert found.message is not None
    assert f"“{said}”" in found.message.en
    assert "a, b, C, 4" in found.message.en
    assert f"“{said}”" in found.message.zh
    assert "a、b、C、4" in found.message.zh


@pytest.mark.parametrize("value", [None, True, 1.5, ["b"], {"b": 1}])
def test_an_answer_of_another_kind_fails(value: object) -> None:
    """Anything may stand in an answers file, and nothing of it is an exception."""
    found = choice.judge(SPEC, value, CONTEXT)
    assert found.status is Status.FAILED
    assert found.message is not None
    assert "a, b, C, 4" in found.message.en


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([option("a", correct=True), option("b")], []),
        ([option("a", correct=True)], ["options: found 1 of them; expected 2 to 10"]),
        ([option("a"), option("b")], ["options: found none marked as correct; expected exactly one"]),
        ([option("a", correct=True), option("b", correct=True)], ["options: found a, b marked as correct"]),
        ([option("a", correct=True), option("A")], ["options[1].id: found 'A'; expected an id that no other option"]),
        ([option("a", correct=True), option(" b")], ["options[1].id: found ' b'; expected an id without spaces"]),
        ([option("a", correct=True, misconception="sum"), option("b")], ["options[0].misconception: found 'sum'"]),
    ],
)
def test_specs_are_checked(options: list[Option], said: list[str]) -> None:
    """A choice has two options or more, with ids of their own, and exactly one is right."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in choice.validate(Spec(tuple(options)))]
    assert len(found) == len(said)
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)

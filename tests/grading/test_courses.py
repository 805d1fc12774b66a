"""What checks declare, and what comes of it when a course is read."""

from __future__ import annotations

import dataclasses
from types import ModuleType

import pytest

from grader.core.model import CheckSpec, Text
from grader.course import schema
from grader.course.schema_problems import validate
from grader.course.validate import CheckKind, CheckKinds, NoOptions
from grader.grading.checks import kinds, read, scaling, variance

EXERCISE = {
    "function": "f",
    "signature": "(x)",
    "summary": {"en": "S", "zh": "述"},
    "result": {"en": "R", "zh": "果"},
    "reference": "a.f",
    "cases": [{"name": "basic"}],
}
QUESTION = {"id": "Q5", "title": {"en": "T", "zh": "题"}, "group": "self-attention", "prompt": {"en": "P", "zh": "请"}}


def built(check: object, known: CheckKinds) -> CheckSpec:
    """The check as a course has it."""
    raw = QUESTION | {"exercises": [EXERCISE | {"checks": [check]}]}
    found = validate(schema.question_file(known), raw)
    assert not isinstance(found, list), found
    return found.build("questions/q05.yaml", known).exercises[0].checks[0]


@pytest.mark.parametrize("kind", kinds())
def test_every_check_declares_its_options(kind: str) -> None:
    """A frozen dataclass in which everything has a default."""
    options = kinds()[kind].KIND.options
    assert options in (NoOptions, vars(kinds()[kind]).get("Options"))
    assert dataclasses.is_dataclass(options)
    assert options.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert read(CheckSpec(kind, 1.0), options) == options()


def test_the_weight_of_a_check_is_the_one_that_its_module_has() -> None:
    """However it is written there."""
    module = ModuleType("annotated")
    module.KIND = CheckKind(Text("annotated", "标注"), scaling.Options, weight=2.0 * 2)  # type: ignore[attr-defined]
    known: CheckKinds = {"annotated": module}  # type: ignore[dict-item]
    assert built("annotated", known).weight == 4.0
    assert built({"annotated": {}}, known).weight == 4.0
    assert built({"annotated": {"weight": 0.5}}, known).weight == 0.5


def test_options_arrive_with_their_types() -> None:
    """Lists as tuples; keys that Python cannot name under the name that it can; defaults for the rest."""
    spec = built({"variance": {"d_k": [4, 8], "is": 2}}, kinds())
    assert spec.options == (("d_k", (4, 8)), ("is", 2.0))
    assert read(spec, variance.Options) == variance.Options((4, 8), 2.0)
    assert read(built("scaling", kinds()), scaling.Options) == scaling.Options(None, 0.5)

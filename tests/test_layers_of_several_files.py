"""Encoder and decoder layers that are built from exercises of other files."""

from __future__ import annotations

import pytest

from grader.core.model import ExerciseResult, Status
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.sandbox import Sandbox
from tests import samples
from tests.helpers import submission

IMPORTS = "import math\nimport torch\nfrom torch import nn\nfrom q11 import MultiHeadAttention\n\n\n"


def layer(name: str) -> str:
    """The class ``name`` of a right solution, with its attention taken from q11.py."""
    text = samples.sample(f"{name}/right/own_attention").text
    return IMPORTS + text[text.index(f"class {name}") :]


@pytest.fixture(scope="module")
def context(sandbox: Sandbox) -> GradingContext:
    """The bundled course, with every reference run once."""
    return GradingContext(courses.load(loader.find(None)), Seed.public(), sandbox.observe)


def graded(sandbox: Sandbox, context: GradingContext, *names: str, **files: str) -> dict[str, ExerciseResult]:
    """The exercises ``names`` of these files."""
    wanted = Selection(exercises=names)
    report = grade(context.course, submission(**files), sandbox.observe, selection=wanted, context=context)
    return {exercise.name: exercise for question in report.questions for exercise in question.exercises}


@pytest.mark.parametrize("attention", ["own_attention", "fused_qkv", "list_of_heads", "linears_per_head", "einsum"])
def test_the_attention_may_come_from_another_file(attention: str, sandbox: Sandbox, context: GradingContext) -> None:
    """q18.py and q20.py import the class of q11.py, whatever its style."""
    q11 = samples.sample(f"MultiHeadAttention/right/{attention}").text
    names = ("MultiHeadAttention", "EncoderLayer", "DecoderLayer")
    found = graded(sandbox, context, *names, q11=q11, q18=layer("EncoderLayer"), q20=layer("DecoderLayer"))
    assert {name: each.status for name, each in found.items()} == dict.fromkeys(names, Status.PASSED)


@pytest.mark.prove
def test_what_is_wrong_in_the_attention_is_wrong_in_the_layer(sandbox: Sandbox, context: GradingContext) -> None:
    """A mask that is ignored in q11.py costs points in q18.py, and only where a mask is given."""
    q11 = samples.sample("MultiHeadAttention/wrong/mask_ignored").text
    found = graded(sandbox, context, "EncoderLayer", q11=q11, q18=layer("EncoderLayer"))["EncoderLayer"]
    failed = {outcome.case for outcome in found.outcomes if outcome.status is Status.FAILED}
    assert "mask per sample" in failed
    assert not failed & {"norm last", "norm first"}
    assert found.misconception == "mask-ignored"


@pytest.mark.prove
def test_without_the_other_file_nothing_can_be_graded(sandbox: Sandbox, context: GradingContext) -> None:
    """The report names the module that is not there."""
    found = graded(sandbox, context, "EncoderLayer", q18=layer("EncoderLayer"))["EncoderLayer"]
    assert found.status is Status.RAISED
    assert found.message is not None
    assert "q11" in found.message.en

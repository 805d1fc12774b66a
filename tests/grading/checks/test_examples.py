"""The examples in the docstrings of checks, read and graded as they stand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.errors import CourseError
from grader.core.model import Question, Status
from grader.core.yaml_positions import parse
from grader.course import edits, schema, schema_problems, validate
from grader.grading import checks
from grader.grading.context import GradingContext
from grader.grading.grade import grade_reference
from grader.grading.inputs import Seed
from grader.grading.plan import module_of
from tests import documentation
from tests.solving import Bench

TEXT = {"en": "…", "zh": "…"}


def read(kind: str, bench: Bench) -> tuple[Question, list[str]]:
    """A question with the example of a check as its exercise, and its faults. Fills in what examples leave out."""
    (text,) = documentation.blocks(documentation.read(checks.kinds()[kind].__doc__)["Example"], "yaml")
    example = parse(text, f"{kind}.py", CourseError).value
    raw = {
        "id": "Q1",
        "title": TEXT,
        "group": "examples",
        "prompt": TEXT,
        "misconceptions": {mistake["misconception"]: {"truth": TEXT} for mistake in example["mistakes"]},
        "exercises": [{"summary": TEXT, "result": TEXT} | example],
    }
    found = schema_problems.validate(schema.question_file(checks.kinds()), raw)
    assert not isinstance(found, list), found
    question = found.build("questions/q01.yaml", checks.kinds())
    known = validate.KnownNames(["examples"], [], bench.course.reference, None, checks.kinds())
    return question, [str(fault) for fault in validate.check_question(question, raw, known)]


@pytest.mark.parametrize("kind", checks.kinds())
def test_examples_can_be_copied(kind: str, bench: Bench) -> None:
    """The bank accepts them; the reference passes the check, and each of the mistakes fails it."""
    question, faults = read(kind, bench)
    assert faults == []
    (exercise,) = question.exercises
    assert [spec.kind for spec in exercise.checks] == [kind]
    known = {file.module for file in bench.course.reference}
    assert module_of(exercise) in known, f"reference: {exercise.reference} is in no module of the bundled course"
    context = GradingContext(replace(bench.course, questions=(question,)), Seed.public(), bench.expect)
    assert (
        grade_reference(context, question, exercise, bench.course.reference, context.observe_reference).status
        is Status.PASSED
    )
    assert exercise.mistakes
    for mistake in exercise.mistakes:
        module = f"reference.{exercise.reference.rpartition('.')[0]}"
        files = edits.apply(bench.course.reference, mistake.edits, module)
        result = grade_reference(context, question, exercise, files, context.observe_reference)
        assert result.status is Status.FAILED, (mistake.misconception, result)

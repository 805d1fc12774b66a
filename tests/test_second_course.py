"""The other courses in examples/ are about something else: nothing in the program knows about attention."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring.selfcheck import check
from grader.course import loader
from grader.course.misconceptions import coverage_of
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.selection import Selection
from grader.sandbox import Sandbox
from tests.helpers import submission

FOLDER = Path(__file__).parents[1] / "examples" / "course"


#: Max pooling in another style than the reference.
POOL = """\
def max_pool(images, size=2):
    *lead, height, width = images.shape
    rows, columns = height // size, width // size
    blocks = images[..., : rows * size, : columns * size].reshape(*lead, rows, size, columns, size)
    return blocks.max(axis=(-3, -1))
"""


@pytest.mark.prove
@pytest.mark.parametrize("folder", [FOLDER, FOLDER.with_name("convolution")])
def test_another_course_proves_itself(folder: Path, sandbox: Sandbox) -> None:
    """References pass, stubs earn nothing, every mistake is caught and named as itself."""
    course = courses.load(folder)
    context = GradingContext(course, Seed.public(), sandbox.observe)
    assert list(check(course, context, sandbox.observe)) == []


def test_solutions_of_another_course(sandbox: Sandbox) -> None:
    """One that is right in its own way passes; one that is wrong is told its misconception."""
    course = courses.load(FOLDER.with_name("convolution"))
    context = GradingContext(course, Seed.public(), sandbox.observe)
    for code, named in ((POOL, None), (POOL.replace(".max(", ".mean("), "averages-block")):
        work = submission(q04=f"import numpy as np\n\n\n{code}")
        report = grade(course, work, sandbox.observe, selection=Selection(exercises=("max_pool",)), context=context)
        (result,) = report.questions[0].exercises
        assert (result.earned == result.possible, result.misconception) == (named is None, named)


def test_another_course_has_rules_and_a_map() -> None:
    """What is due when is its own; exercises have items about the same ideas."""
    course = courses.load(FOLDER)
    assert course.rules.due is not None
    assert [question.points for question in course.questions] == pytest.approx([10, 15, 15])
    assert course.public_id != courses.load(loader.find(None)).public_id
    assert all(items for place in coverage_of(course) for _, items in place.exercises)

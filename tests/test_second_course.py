"""The course in examples/course is about something else: nothing in the program knows about attention."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring.selfcheck import check
from grader.course import loader
from grader.course.misconceptions import coverage_of
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox

FOLDER = Path(__file__).parents[1] / "examples" / "course"


@pytest.mark.prove
def test_another_course_proves_itself(sandbox: Sandbox) -> None:
    """References pass, stubs earn nothing, every mistake is caught and named as itself."""
    course = courses.load(FOLDER)
    assert [question.id for question in course.questions] == ["Q1", "Q2", "Q3"]
    context = GradingContext(course, Seed.public(), sandbox.observe)
    assert list(check(course, context, sandbox.observe)) == []


def test_another_course_has_rules_and_a_map() -> None:
    """What is due when is its own; exercises have items about the same ideas."""
    course = courses.load(FOLDER)
    assert course.rules.due is not None
    assert [question.points for question in course.questions] == pytest.approx([10, 15, 15])
    assert course.public_id != courses.load(loader.find(None)).public_id
    assert all(items for place in coverage_of(course) for _, items in place.exercises)

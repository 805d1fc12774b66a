"""What is the same for every submission is computed once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import QuestionResult
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.grading.plan import Plan


@pytest.fixture
def context() -> GradingContext:
    """A context in which nothing may be run."""
    return GradingContext(courses.load(loader.find(None)), Seed.public(), pytest.fail)


def test_a_question_left_out_has_one_result(context: GradingContext) -> None:
    """It is the same object each time, so that what is known of it is found by identity; others are what was graded."""
    question = next(q for q in context.course.questions if q.exercises and q.items)
    items = tuple(map(context.unanswered, question.items))
    exercises = tuple(context.untouched(Plan(question, each, None, ())) for each in question.exercises)
    left_out = context.question_result(question, items, exercises)
    assert left_out == QuestionResult(question.id, question.title, items, exercises)
    answered = (replace(items[0], earned=1.0), *items[1:])
    tried = (replace(exercises[0], file="q.py"), *exercises[1:])
    for given in ((answered, exercises), (items, tried)):
        result = context.question_result(question, *given)
        assert result == QuestionResult(question.id, question.title, *given)
        assert result is not context.question_result(question, *given)
    assert context.question_result(question, items, exercises) is left_out
    assert context.question_result(question, (), exercises) == replace(left_out, items=())

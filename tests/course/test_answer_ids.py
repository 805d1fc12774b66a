"""Answers under the ids of a course, whatever their letter case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Answer, Course, Submission
from grader.course.answer_ids import matched
from grader.grading import courses
from tests import tiny


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course whose only item is Q1.a."""
    return courses.load(tiny.course(tmp_path_factory.mktemp("course")))


def with_ids(course: Course, *ids: str) -> Course:
    """The course with items of these ids."""
    (question,) = course.questions
    return replace(course, questions=(replace(question, items=tuple(replace(question.items[0], id=i) for i in ids)),))


def given(*answers: tuple[str, object]) -> Submission:
    """A submission with these answers, each on its line."""
    return Submission("ada", (), tuple(Answer(item, value, line) for line, (item, value) in enumerate(answers, 4)))


@pytest.mark.parametrize("written", ["Q1.a", "q1.a", "Q1.A", "q1.A"])
def test_letter_case_does_not_matter(course: Course, written: str) -> None:
    """An id is that of the course where it can be only one."""
    assert matched(course, given((written, "b"))).answers == (Answer("Q1.a", "b", 4),)


def test_ids_that_differ_in_case_alone(course: Course) -> None:
    """Each is itself, and another spelling is none of them."""
    found = matched(with_ids(course, "Q1.a", "Q1.A"), given(("Q1.a", "b"), ("Q1.A", "c"), ("q1.a", "d")))
    assert [answer.item for answer in found.answers or ()] == ["Q1.a", "Q1.A", "q1.a"]


def test_two_spellings_are_two_answers(course: Course) -> None:
    """Different ones are refused with both lines; the same answer, or an empty one, changes nothing."""
    (found,) = matched(course, given(("Q1.a", "b"), ("q1.a", "c"))).answers or ()
    assert found.item == "Q1.a" and found.problem is not None and tiny.bilingual(found.problem)
    assert "line 5" in found.problem.en and "line 4" in found.problem.en
    assert matched(course, given(("q1.a", None), ("Q1.a", "b"))).answers == (Answer("Q1.a", "b", 5),)
    assert matched(course, given(("q1.a", "b"), ("Q1.a", "b"))).answers == (Answer("Q1.a", "b", 4),)


def test_no_answers_stay_none(course: Course, tmp_path: Path) -> None:
    """A submission without an answers file is not one with an empty file."""
    assert matched(course, Submission("ada", ())).answers is None

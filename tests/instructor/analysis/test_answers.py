"""The answers of a class: which were given, by whom, and which fit somebody else's numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from grader.classroom.gradebook import GradingRun, LearnerRow, SubmissionRow
from grader.classroom.marks import GradedSubmission, Mark
from grader.core.model import Course, ExerciseResult, Item, ItemResult, Question, QuestionResult, Status, Text
from grader.course import items
from grader.course.items.choice import Option, Spec
from grader.course.items.number import Spec as NumberSpec
from grader.instructor.analysis.answers import (
    BorrowedAnswer,
    MarkAndAnswers,
    answer_text,
    borrowed_answers,
    borrowed_by_learner,
    given_answers,
)
from grader.instructor.analysis.statistics import find_misconceptions

SAID = Text("x", "x")
NOW = datetime(2026, 11, 20, tzinfo=UTC)
RUN = GradingRun(NOW, 0.1, "public", "d", (), (), False)
CHOICE = Item("Q1.a", "choice", SAID, spec=Spec((Option("a", SAID, True), Option("B", SAID, misconception="m"))))
NUMBER = Item("Q1.n", "number", SAID, spec=NumberSpec("2 * n", {"n": (3, 5, 7)}))
COURSE = Course(SAID, "test", (), (Question("Q1", SAID, "g", SAID, "f", items=(CHOICE, NUMBER)),), (), (), "d", "")


def mark(
    name: str, *results: ItemResult, at: datetime | None = None, code: str | None = None, signed: str | None = None
) -> Mark:
    """Somebody's mark; ``code`` is a misconception in their code, ``signed`` the name in their answers.yaml."""
    exercises = (ExerciseResult("f", Status.FAILED, 0, 1, (), misconception=code),) if code else ()
    work = GradedSubmission(
        SubmissionRow(name, "", (name,), "d", name, at, signed=signed),
        ((QuestionResult("Q1", SAID, results, exercises), RUN),),
    )
    return Mark(LearnerRow(name, name), work, ())


def result(item: Item, status: Status, misconception: str | None = None) -> ItemResult:
    """An item, graded."""
    return ItemResult(item.id, item.kind, status, 0, 1, misconception=misconception)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, ""),
        (" a\x1b[2J ", "a"),
        (12, "12"),
        (["a", "c"], "a, c"),
        (["x = 1", "y = 2"], "x = 1\ny = 2"),
        ({"a": "1", "b": "2"}, "a-1, b-2"),
        ("x" * 999, "x" * 299 + "…"),
    ],
)
def test_an_answer_as_it_is_shown(answer: object, text: str) -> None:
    """As one would write it, and never more than fits."""
    assert answer_text(answer) == text


def test_equal_answers_are_one() -> None:
    """Whatever their case and spaces; verdicts keep them apart; who did not answer is not there."""
    right, wrong = result(CHOICE, Status.PASSED), result(CHOICE, Status.FAILED, "m")
    class_: list[MarkAndAnswers] = [
        (mark("ada", wrong), {"Q1.a": "b"}),
        (mark("bo", wrong), {"Q1.a": " B"}),
        (mark("cy", right), {"Q1.a": "A"}),
        (mark("dee", result(CHOICE, Status.MISSING)), {}),
        (mark("eve", wrong), {}),
        (Mark(LearnerRow("fay", "fay"), None, ()), {}),
    ]
    found = [
        (each.text, each.status, each.misconception, each.learners, each.ids) for each in given_answers(CHOICE, class_)
    ]
    assert found == [("b", Status.FAILED, "m", ("ada", "bo"), ("B",)), ("A", Status.PASSED, None, ("cy",), ("a",))]


def test_somebody_elses_numbers() -> None:
    """Wrong for one's own, right for those of others in the class; an answer that is right for nobody says nothing."""
    own = {name: items.draw(NUMBER.spec, items.Context("test", name, "Q1.n"))["n"] for name in map(str, range(12))}
    assert set(own.values()) == {3, 5, 7}
    first, other = (next(name for name in own if own[name] == n) for n in (3, 5))
    class_: list[MarkAndAnswers] = [
        (mark(name, result(NUMBER, Status.PASSED)), {"Q1.n": 2 * n}) for name, n in own.items() if name != first
    ]
    wrong = result(NUMBER, Status.FAILED)
    (found,) = borrowed_answers(COURSE, [*class_, (mark(first, wrong), {"Q1.n": 10})])
    assert (found.learner, found.answer, found.own, found.theirs) == (first, "10", (("n", 3),), (("n", 5),))
    assert other in found.sources and first not in found.sources
    assert all(own[name] == 5 for name in found.sources)
    assert borrowed_answers(COURSE, [*class_, (mark(first, wrong), {"Q1.n": 11})]) == ()
    assert borrowed_answers(COURSE, [(mark(first, wrong), {"Q1.n": 10})]) == ()
    for signed, known in ((other, other), (first, "")):
        (found,) = borrowed_answers(COURSE, [*class_, (mark(first, wrong, signed=signed), {"Q1.n": 10})])
        assert found.signed == known, "the name in answers.yaml is told if the answer fits its numbers"


def test_by_learner() -> None:
    """Several such answers of a learner are one entry, with those who could be the source of all of them."""

    def one(learner: str, item: str, *sources: str) -> BorrowedAnswer:
        return BorrowedAnswer(learner, item, "1", (), (), sources)

    found = borrowed_by_learner(
        [one("a", "i", "x", "y"), one("b", "i", "x"), one("b", "j", "x", "z"), one("c", "i", "z")]
    )
    assert [(each.learner, len(each.answers), each.sources) for each in found] == [
        ("b", 2, ("x",)),
        ("c", 1, ("z",)),
        ("a", 1, ("x", "y")),
    ]


def test_what_is_believed_since() -> None:
    """Each learner once, with where it showed; earlier ones are counted; without a time, grading counts."""
    wrong = result(CHOICE, Status.FAILED, "m")
    old, new = NOW - timedelta(days=9), NOW - timedelta(days=1)
    marks = [
        mark("ada", wrong, at=new, code="m"),
        mark("bo", wrong, at=old),
        mark("cy", wrong),
        mark("dee", result(CHOICE, Status.PASSED), at=new, code="n"),
        Mark(LearnerRow("eve", "eve"), None, ()),
    ]
    week = find_misconceptions(marks, NOW - timedelta(days=7))
    assert [(each.name, each.learners, each.parts, each.before) for each in week] == [
        ("m", ("ada", "cy"), (("Q1.a", 2), ("f", 1)), 1),
        ("n", ("dee",), (("f", 1),), 0),
    ]
    assert [len(each.learners) for each in find_misconceptions(marks)] == [3, 1]

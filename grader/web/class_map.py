"""What the map of the course says in a class: when work is due, what of it is submitted, and its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from grader.classroom.gradebook import LearnerRow
from grader.classroom.marks import due_for
from grader.classroom.service import Attempt
from grader.core.model import Course, Message, Question, Rules, Status, Text
from grader.core.tables import texts
from grader.core.text import OF_POINTS, duration, points, timestamp
from grader.course import starter
from grader.submission.files import kind_of

_HOUR, _DAY = 3600, 86_400
#: Less than so many days before it is due, work is due soon.
_SOON = 3


@dataclass(frozen=True, slots=True)
class DueDate:
    """When work is due for a learner, how long that is from now, and how urgent it therefore is."""

    time: str
    left: Text
    urgency: Literal["later", "soon", "over"]


@dataclass(frozen=True, slots=True)
class QuestionWork:
    """How much of a question is submitted, in a word and for people, and its points if they are shown."""

    extent: str
    said: Text
    points: Text | None


@dataclass(frozen=True, slots=True)
class ClassWork:
    """A learner's work in a class, question by question."""

    due: DueDate | None
    questions: Mapping[str, QuestionWork]


def class_work(
    course: Course, rules: Rules, learner: LearnerRow, attempts: Sequence[tuple[Attempt, bool]], now: datetime
) -> ClassWork:
    """The work of ``learner``, who made ``attempts``, the latest first, each with whether its results are shown."""
    given = next((_given(course, each) for each, _ in attempts if each.state != "refused"), frozenset[str]())
    marks = (each.mark for each, shown in attempts if shown and each.mark is not None and each.mark.counts)
    mark = next(marks, None)
    earned = {} if mark is None else {name: (own, possible) for name, own, possible in mark.questions}
    due = None if rules.due is None else _due_date(due_for(learner, rules.due), now)
    return ClassWork(due, {each.id: _question(each, given, earned.get(each.id)) for each in course.questions})


def _question(question: Question, given: frozenset[str], earned: tuple[float, float] | None) -> QuestionWork:
    left = _parts(question) - given
    extent = "all" if not left else "some" if left < _parts(question) else "none"
    shown = None
    if earned is not None and (earned[0] or extent != "none"):
        shown = OF_POINTS.fill(earned=points(earned[0]), possible=points(earned[1]))
    return QuestionWork(extent, texts(__file__, "words.yaml")[extent], shown)


def _parts(question: Question) -> frozenset[str]:
    """The graded items and the exercises of a question."""
    items = (item.id for item in question.items if item.use == "graded")
    return frozenset((*items, *(exercise.name for exercise in question.exercises)))


def _given(course: Course, attempt: Attempt) -> frozenset[str]:
    """The parts of the course that an attempt has: as graded, else as far as the names of its files tell."""
    if attempt.state == "graded" and attempt.mark is not None and attempt.mark.work is not None:
        results = (result for result, _ in attempt.mark.work.results)
        return frozenset(part.name for each in results for part in each.parts if part.status is not Status.MISSING)
    receipt = attempt.receipt
    code = {file.name for file in receipt.files if kind_of(file.name) != "answers"}
    anywhere = code - set(map(starter.file_name, course.questions))
    having = (each for each in course.questions if anywhere or starter.file_name(each) in code)
    return frozenset((*receipt.answers, *(exercise.name for each in having for exercise in each.exercises)))


def _due_date(due: datetime, now: datetime) -> DueDate:
    time, seconds = timestamp(due.isoformat()), int((due - now).total_seconds())
    days = seconds // _DAY
    if seconds < 0:
        return DueDate(time, Message("overdue"), "over")
    if days >= 2:
        return DueDate(time, Message("due in {days} days").fill(days=days), "soon" if days < _SOON else "later")
    left = duration(seconds - seconds % _HOUR if seconds > _HOUR else seconds)
    return DueDate(time, Message("due in {time}").fill(time=left), "soon")

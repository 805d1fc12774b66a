"""The instructor's pages on items, exercises and misconceptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import groupby

from starlette.responses import Response

from grader.core.model import ExerciseResult, Status
from grader.course import items
from grader.instructor.analysis import answers, statistics
from grader.instructor.analysis import statistics_view as view
from grader.instructor.analysis.answers import BorrowedAnswer
from grader.instructor.analysis.statistics import CheckStatistics, PartStatistics, Statistics
from grader.web.class_data import RARELY, ClassData, StaffVisit
from grader.web.instructor_marking import count_waiting

#: The most distinct answers on the page of an item.
_MOST_ANSWERS = 40
#: The most misconceptions that are shown.
_MOST_BELIEFS = 30
_WEEK = timedelta(days=7)


def class_statistics(class_data: ClassData) -> Statistics:
    """The statistics of the class."""
    return class_data.once(
        "statistics",
        lambda book: replace(statistics.class_statistics(class_data.counting()), borrowed=borrowed_answers(class_data)),
        rest=RARELY,
    )


def borrowed_answers(class_data: ClassData) -> tuple[BorrowedAnswer, ...]:
    """The answers that fit another learner's numbers."""
    return class_data.once(
        "borrowed", lambda book: answers.borrowed_answers(class_data.course, class_data.counting()), rest=RARELY
    )


# ------------------------------------------------------------------------------------ all of them


def questions_page(visit: StaffVisit) -> Response:
    """All items and exercises with their statistics, and the findings."""
    class_data = visit.class_data
    visit.note_reading("read findings")
    found = class_statistics(class_data)
    parts = groupby(view.ordered(found), key=lambda part: part.question)
    questions = [(name, list(those)) for name, those in parts]
    waiting = count_waiting(class_data)
    return visit.page("instructor_questions.html", found=found, questions=questions, view=view, waiting=waiting)


# ------------------------------------------------------------------------------------ one item


def item_page(visit: StaffVisit) -> Response:
    """One item: answers, discrimination, misconceptions, and answers that fit another learner's numbers."""
    class_data = visit.class_data
    question, item = class_data.item(visit.named("item"))
    visit.note_reading("read answers", part=item.id)
    given = class_data.once(f"answers {item.id}", lambda book: answers.given_answers(item, class_data.counting()))
    context = items.Context("", "", item.id)
    found = class_statistics(class_data)
    return visit.page(
        "instructor_item.html",
        question=question,
        item=item,
        items=items,
        found=found,
        part=_part(found, item.id),
        given=given,
        most_given=_MOST_ANSWERS,
        drawn=items.draw(item.spec, context),
        key=None if item.sealed else items.key(item, context),
        borrowed=[answer for answer in borrowed_answers(class_data) if answer.item == item.id],
        view=view,
    )


def _part(found: Statistics, name: str) -> PartStatistics | None:
    return next((part for part in found.parts if part.name == name), None)


# ------------------------------------------------------------------------------------ one exercise


def exercise_page(visit: StaffVisit) -> Response:
    """One exercise: the checks and cases that fail, and the misconceptions."""
    class_data = visit.class_data
    question, exercise = class_data.exercise(visit.named("exercise"))
    visit.note_reading("read answers", part=exercise.name)
    results = [
        (mark.learner.id, result)
        for mark, _ in class_data.counting()
        for of_question, _ in (mark.work.results if mark.work is not None else ())
        for result in of_question.exercises
        if result.name == exercise.name
    ]
    found = class_statistics(class_data)
    checks = [check for check in found.checks if check.exercise == exercise.name]
    return visit.page(
        "instructor_exercise.html",
        question=question,
        exercise=exercise,
        found=found,
        part=_part(found, exercise.name),
        results=results,
        statuses=list(Status),
        checks=[(check, _failing(results, check)) for check in checks],
        view=view,
    )


def _failing(results: Sequence[tuple[str, ExerciseResult]], check: CheckStatistics) -> tuple[str, ...]:
    return tuple(
        learner
        for learner, result in results
        if result.status not in (Status.MISSING, Status.SKIPPED)
        for outcome in result.outcomes
        if (outcome.check, outcome.case, outcome.visibility) == (check.check, check.case, check.visibility)
        and outcome.verdict.applies
        and outcome.status not in (Status.PASSED, Status.PENDING, Status.UNMARKED)
    )


# ------------------------------------------------------------------------------------ what is believed


def misconceptions_page(visit: StaffVisit) -> Response:
    """The misconceptions of the last seven days, or of all work."""
    class_data = visit.class_data
    visit.note_reading("read findings")
    everything = visit.asked("period") == "all"
    since = None if everything else class_data.now() - _WEEK
    beliefs = statistics.find_misconceptions([mark for mark, _ in class_data.counting()], since)
    return visit.page(
        "instructor_misconceptions.html",
        everything=everything,
        found=[(each, class_data.course.misconception(each.question, each.name)) for each in beliefs[:_MOST_BELIEFS]],
        more=max(0, len(beliefs) - _MOST_BELIEFS),
        all=len(class_data.rows()),
    )

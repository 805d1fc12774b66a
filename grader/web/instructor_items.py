"""The instructor's pages on items, exercises and misconceptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby

from starlette.responses import Response

from grader.core.model import ExerciseResult, Item, Misconception, Question, Status, Text
from grader.course import items
from grader.instructor.analysis import answers, statistics
from grader.instructor.analysis import statistics_view as view
from grader.instructor.analysis.answers import BorrowedAnswer, GivenAnswer
from grader.instructor.analysis.statistics import CheckStatistics, PartStatistics, Statistics
from grader.report.words import check_label
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


@dataclass(frozen=True, slots=True)
class BeliefRow:
    """A misconception and how often it appeared; ``belief`` is None if the course no longer has it."""

    name: str
    times: int
    belief: Misconception | None


# ------------------------------------------------------------------------------------ all of them


def questions_page(visit: StaffVisit) -> Response:
    """All items and exercises with their statistics, and the findings."""
    class_data = visit.class_data
    visit.note_reading("read findings")
    statistics_of_class = class_statistics(class_data)
    rows = []
    for name, parts in groupby(view.ordered(statistics_of_class), key=lambda part: part.question):
        question = class_data.course.question(name)
        described = [(part, view.wrong(part, class_data.course)) for part in parts]
        rows.append((name, question.title if question else Text("", ""), described))
    return visit.page(
        "instructor_questions.html",
        found=statistics_of_class,
        questions=rows,
        findings=view.findings(statistics_of_class, class_data.course, names=True),
        view=view,
        waiting=count_waiting(class_data),
        mean=view.mean(statistics_of_class.spread),
        alpha=view.alpha(statistics_of_class),
    )


# ------------------------------------------------------------------------------------ one item


def item_page(visit: StaffVisit) -> Response:
    """One item: answers, discrimination, misconceptions, and answers that fit another learner's numbers."""
    class_data = visit.class_data
    question, item = class_data.item(visit.named("item"))
    visit.note_reading("read answers", part=item.id)
    given = class_data.once(f"answers {item.id}", lambda book: answers.given_answers(item, class_data.counting()))
    context = items.Context("", "", item.id)
    drawn = items.draw(item.spec, context)
    personal = bool(drawn)
    part = _part(class_statistics(class_data), item.id)
    return visit.page(
        "instructor_item.html",
        question=question,
        item=item,
        part=part,
        negative=item.id in class_statistics(class_data).negative,
        answers=[(answer, _options(item, answer)) for answer in given[:_MOST_ANSWERS]],
        more=max(0, len(given) - _MOST_ANSWERS),
        most=max(1, sum(len(answer.learners) for answer in given)),
        personal=personal,
        ask=items.fill(item.ask, drawn),
        drawn=drawn.items(),
        by_hand=bool(items.key_points(item)),
        key=None if item.sealed else items.key(item, context),
        beliefs=_beliefs(question, part),
        borrowed=[answer for answer in borrowed_answers(class_data) if answer.item == item.id] if personal else [],
        view=view,
    )


def _part(found: Statistics, name: str) -> PartStatistics | None:
    return next((part for part in found.parts if part.name == name), None)


def _options(item: Item, answer: GivenAnswer) -> list[Text]:
    """The texts of the options that an answer names."""
    return [option.text for option in getattr(item.spec, "options", ()) if option.id in answer.ids]


def _beliefs(question: Question, part: PartStatistics | None) -> list[BeliefRow]:
    counted = part.misconceptions if part is not None else ()
    return [BeliefRow(name, times, question.misconception(name)) for name, times in counted]


# ------------------------------------------------------------------------------------ one exercise


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check on a case, with the learners who fail it."""

    check: CheckStatistics
    label: Text
    failing: tuple[str, ...]


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
    of_class = class_statistics(class_data)
    part = _part(of_class, exercise.name)
    checks = [check for check in of_class.checks if check.exercise == exercise.name]
    statuses = Counter(result.status for _, result in results)
    believers = {
        name: [learner for learner, result in results if result.misconception == name]
        for name, _ in (part.misconceptions if part is not None else ())
    }
    return visit.page(
        "instructor_exercise.html",
        question=question,
        exercise=exercise,
        part=part,
        negative=exercise.name in of_class.negative,
        statuses=[(status, statuses[status]) for status in Status if statuses[status]],
        learners={status: [name for name, result in results if result.status is status] for status in statuses},
        checks=[CheckRow(check, check_label(check.check), _failing(results, check)) for check in checks],
        beliefs=_beliefs(question, part),
        believers=believers,
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

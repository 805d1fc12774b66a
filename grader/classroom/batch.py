"""Grade a class: collect the submissions, schedule what is not graded yet, and record each result.

Every result is saved as it arrives, and nothing is graded twice: after an interruption, the same command continues.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from grader.classroom import schedule
from grader.classroom.collect import Collection, collect
from grader.classroom.enrolment import Enrolment, enrol, in_roster
from grader.classroom.gradebook import INTAKE, Gradebook, SubmissionRow, open_gradebook
from grader.classroom.lock import locked, make_folder
from grader.classroom.recorder import Recorder, grading_facts, tasks_left
from grader.classroom.results import ASKED, FILES
from grader.classroom.roster import Roster
from grader.classroom.roster import read_roster as read_roster
from grader.classroom.task import BatchPlan, GradingTask
from grader.core.errors import UsageError
from grader.core.model import Course, Message, Question, Rules, Text
from grader.course import loader
from grader.course.items import draw_choices
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.grading.selection import Selection, check_names
from grader.sandbox import libraries


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """What to grade, where to save the results, and how. Without ``questions``, all questions count.

    ``workers`` is the number of processes on this machine (default: one for each processor); ``scheduler`` is the
    address of a Dask cluster to use instead. With ``files``, the results folder gets a JSON file for each submission.
    """

    collection: Path
    out: Path
    course_folder: Path
    seed: Seed
    questions: tuple[str, ...] = ()
    intake: str | None = None
    roster: Path | None = None
    workers: int | None = None
    scheduler: str | None = None
    files: bool = False


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The progress of a batch: ``done`` of ``total``, the ``key`` of the latest, and the keys of those being graded."""

    done: int
    total: int
    key: str
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """The result of a batch: ``graded`` submissions now, ``kept`` from before; ``refused`` are (key, reason).

    ``unknown`` and ``ambiguous`` are names that match nobody on the roster, or more than one learner. ``missing``
    learners have no submission; learners in ``twice`` have two with the same attempt number.

    ``rules`` are those of the course. ``timeless`` is the number of submissions without a timestamp, ``said_late`` the
    number of these that are late according to the LMS.

    ``misnamed`` are (learner, name in answers.yaml) if a question that counts draws numbers for a name, and the name in
    the file is not the learner's, ``respelt`` if it is theirs, but not the id for which the numbers are drawn.
    ``listed`` is false without a roster; it is then only likely that the name is not theirs.
    """

    kind: str
    submissions: int
    graded: int
    kept: int = 0
    refused: tuple[tuple[str, Text], ...] = ()
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    seconds: float = 0.0
    rules: Rules = field(default_factory=Rules)
    timeless: int = 0
    said_late: int = 0
    misnamed: tuple[tuple[str, str], ...] = ()
    respelt: tuple[tuple[str, str], ...] = ()
    listed: bool = True


#: The submissions to grade and what to grade in each, by key.
Tasks = Mapping[str, tuple[SubmissionRow, GradingTask]]


def run(request: BatchRequest, progress: Callable[[BatchProgress], None] = lambda step: None) -> BatchSummary:
    """Grade a collection into ``request.out``.

    Raises SandboxUnavailable if code cannot be confined here, and UsageError if another batch writes there.
    """
    started = time.perf_counter()
    if request.scheduler is not None and request.workers is not None:
        raise UsageError(
            Message(
                "--workers and --scheduler cannot be combined: the first is for this machine, the second for a cluster."
            )
        )
    course = loader.full_course(courses.load(request.course_folder))
    counting = select_questions(course, request.questions)
    roster = None if request.roster is None else read_roster(request.roster)
    make_folder(request.out)
    with locked(request.out):
        found = _collect(request, roster)
        with contextlib.closing(open_gradebook(request.out, create=True)) as book:
            enrolment = enrol(found, roster, book.submissions())
            versions = save_class(book, request, enrolment, course, counting)
            tasks = {row.key: (row, task) for row, task in tasks_left(book, versions)}
            layers = grade_all(request, book, tasks, versions, course, progress) if tasks else ()
            book.copy_to_identical()
            after = book.submissions()
    draws = any(draw_choices(item.spec) for each in counting for item in each.items)
    graded_now = {(row.digest, row.seed_name) for row, _ in tasks.values()}
    graded = [(row.digest, row.seed_name) in graded_now for row in after if row.error is None]
    return BatchSummary(
        kind=found.kind,
        submissions=len(after),
        graded=sum(graded),
        kept=len(graded) - sum(graded),
        refused=tuple((row.key, row.error) for row in after if row.error is not None),
        unknown=enrolment.unmatched("unknown"),
        ambiguous=enrolment.unmatched("ambiguous"),
        missing=() if roster is None else tuple(learner.id for learner in roster.missing(enrolment.matches)),
        twice=_same_attempt(after),
        leftovers=found.leftovers,
        layers=layers,
        seconds=time.perf_counter() - started,
        rules=course.rules,
        timeless=sum(row.at is None for row in after),
        said_late=sum(row.at is None and row.late for row in after),
        misnamed=enrolment.misnamed if draws else (),
        respelt=enrolment.respelt if draws else (),
        listed=roster is not None,
    )


def select_questions(course: Course, names: tuple[str, ...]) -> tuple[Question, ...]:
    """The questions that count: those in ``names``, or all. Raises UsageError for an unknown name."""
    check_names(course, Selection(questions=names))
    named = {name.lower() for name in names}
    return tuple(question for question in course.questions if not named or question.id.lower() in named)


def _collect(request: BatchRequest, roster: Roster | None) -> Collection:
    """Step 1: find the submissions, and copy what cannot be read in place."""
    known = (lambda name: False) if roster is None else partial(in_roster, roster)
    return collect(request.collection, request.out / INTAKE, request.intake, known)


def save_class(
    book: Gradebook, request: BatchRequest, enrolment: Enrolment, course: Course, counting: Sequence[Question]
) -> dict[str, str]:
    """Save the class, its submissions and how they are graded. Returns the version of each question that counts."""
    book.enrol(enrolment.learners)
    book.save_collection(enrolment.submissions)
    book.remove_departed({one.id for one in enrolment.learners})
    facts = grading_facts(request.course_folder, request.seed, course, counting)
    asked = [question.id for question in counting] if request.questions else []
    where = os.path.abspath(request.collection)
    book.remember_all(facts | {"collection": where, ASKED: asked, FILES: request.files})
    return cast("dict[str, str]", facts["versions"])


def grade_all(
    request: BatchRequest,
    book: Gradebook,
    tasks: Tasks,
    versions: Mapping[str, str],
    course: Course,
    progress: Callable[[BatchProgress], None],
) -> tuple[str, ...]:
    """Steps 2 and 3: run ``tasks``, and save each result as it arrives. Returns the sandbox layers that were active."""
    wanted = [task for _, task in tasks.values()]
    recorder = Recorder(book, {key: row for key, (row, _) in tasks.items()}, versions, course, request.seed)
    with _pool(request, wanted, course) as pool, recorder:
        for at, (result, running) in enumerate(schedule.run_tasks(pool, wanted, recorder.save_due), 1):
            recorder.save(result)
            progress(BatchProgress(at, len(wanted), result.key, running))
        return pool.layers


def _pool(
    request: BatchRequest, tasks: Sequence[GradingTask], course: Course
) -> contextlib.AbstractContextManager[schedule.WorkerPool]:
    if request.scheduler is not None:
        return schedule.cluster_pool(request.scheduler, request.out, request.seed, course)
    private = str((request.out / ".expected").resolve())
    plan = BatchPlan(str(request.course_folder), request.seed, private, libraries.digest(course.packages))
    return schedule.local_pool(plan, request.workers, tasks)


def _same_attempt(submissions: Sequence[SubmissionRow]) -> tuple[str, ...]:
    """Learners with two submissions of the same attempt number."""
    seen = Counter((learner, row.attempt) for row in submissions for learner in row.learners)
    return tuple(sorted(learner for (learner, _), times in seen.items() if times > 1))

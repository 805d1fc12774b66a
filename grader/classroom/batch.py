"""Grade a class: collect the submissions, schedule what is not graded yet, and record each result.

Every result is saved as it arrives, and nothing is graded twice: after an interruption, the same command continues.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.classroom import schedule
from grader.classroom.class_folder import locked, make_folder
from grader.classroom.collect import NOTHING_IN, collect
from grader.classroom.enrolment import Enrolment, enrol
from grader.classroom.gradebook import INTAKE, Gradebook, SubmissionRow, open_gradebook
from grader.classroom.recorder import GradingPlan, Recorder, grading_facts, question_versions, tasks_left
from grader.classroom.results import ASKED, FILES, MarkSummary
from grader.classroom.roster import read_roster
from grader.classroom.schedule import Arrival
from grader.classroom.task import BatchPlan
from grader.classroom.text_view import text_lines
from grader.classroom.words import (
    CHECK_BROKE,
    GRADED,
    NOT_ALL_READ,
    NOTHING_THERE,
    OTHER_NAME,
    PARTLY,
    SAID_LATE,
    WHOLE,
    first_names,
    policy_sentences,
)
from grader.core.errors import UsageError
from grader.core.layout import WIDTH, columns, shorten, shorten_distinct
from grader.core.model import Course, Lang, Message, Question, Rules, Text
from grader.core.serialize import picked
from grader.core.tables import texts
from grader.core.text import SEMICOLON, clean, duration, points
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.grading.selection import Selection, check_names
from grader.report import words
from grader.report.json import number
from grader.sandbox import policy


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

    In the ``enrolment``, nobody is misnamed or respelt unless a question that counts draws numbers for a name.
    ``rules`` are those of the course. ``timeless`` is the number of submissions without a timestamp, ``said_late`` the
    number of these that are late according to the LMS.
    """

    enrolment: Enrolment
    submissions: int
    graded: int
    kept: int = 0
    refused: tuple[tuple[str, Text], ...] = ()
    layers: tuple[str, ...] = ()
    seconds: float = 0.0
    rules: Rules = field(default_factory=Rules)
    timeless: int = 0
    said_late: int = 0


def run(request: BatchRequest, progress: Callable[[BatchProgress], None] = lambda step: None) -> BatchSummary:
    """Grade a collection into ``request.out``.

    Raises SandboxUnavailable if code cannot be confined here, and UsageError if another batch writes there.
    """
    started = time.perf_counter()
    if request.scheduler is not None and request.workers is not None:
        said = Message(
            "--workers and --scheduler cannot be combined: the first is for this machine, the second for a cluster."
        )
        raise UsageError(said)
    course = loader.full_course(courses.load(request.course_folder))
    counting = select_questions(course, request.questions)
    roster = None if request.roster is None else read_roster(request.roster)
    make_folder(request.out)
    with locked(request.out):
        collection = collect(request.collection, request.out / INTAKE, request.intake, roster)
        with contextlib.closing(open_gradebook(request.out, create=True)) as book:
            enrolment = enrol(collection, roster, book.submissions())
            plan = plan_class(book, request, enrolment, course, counting)
            with grade(request, plan) as (arriving, layers):
                record(book, plan, arriving, progress)
            rows = book.submissions()
    return summarise(enrolment, plan, rows, layers, time.perf_counter() - started)


def select_questions(course: Course, names: tuple[str, ...]) -> tuple[Question, ...]:
    """The questions that count: those in ``names``, or all. Raises UsageError for an unknown name."""
    check_names(course, Selection(questions=names))
    named = {name.lower() for name in names}
    return tuple(question for question in course.questions if not named or question.id.lower() in named)


def plan_class(
    book: Gradebook, request: BatchRequest, enrolment: Enrolment, course: Course, counting: Sequence[Question]
) -> GradingPlan:
    """Save the class, its submissions and how they are graded; plan what is not graded yet."""
    book.enrol(enrolment.learners)
    book.save_collection(enrolment.submissions)
    book.remove_departed({learner.id for learner in enrolment.learners})
    asked = [question.id for question in counting] if request.questions else []
    versions = question_versions(counting, course, request.seed)
    facts = grading_facts(request.course_folder, request.seed, course, versions)
    facts |= {"collection": os.path.abspath(request.collection), ASKED: asked, FILES: request.files}
    book.remember_all(facts)
    return GradingPlan.of(course, request.seed, versions, tasks_left(book, versions))


@contextlib.contextmanager
def grade(request: BatchRequest, plan: GradingPlan) -> Iterator[tuple[Iterable[Arrival], tuple[str, ...]]]:
    """Run the tasks of ``plan`` on the workers that ``request`` asks for; they stop at the end of the context.

    Yields what ``schedule.run_tasks`` yields, and the sandbox layers that are active.
    """
    if not plan.tasks:
        yield (), ()
        return
    with _pool(request, plan) as pool:
        yield schedule.run_tasks(pool, plan.tasks), pool.layers


def _pool(request: BatchRequest, plan: GradingPlan) -> contextlib.AbstractContextManager[schedule.WorkerPool]:
    if request.scheduler is not None:
        return schedule.cluster_pool(request.scheduler, request.out, plan.seed, plan.course)
    private = str((request.out / ".expected").resolve())
    shared = BatchPlan(str(request.course_folder), plan.seed, private, policy.libraries_digest(plan.course.packages))
    return schedule.local_pool(shared, request.workers, plan.tasks)


def record(
    book: Gradebook, plan: GradingPlan, arriving: Iterable[Arrival], progress: Callable[[BatchProgress], None]
) -> None:
    """Save results as they arrive, and then copy them to submissions with the same files and numbers."""
    done = 0
    with Recorder(book, plan) as recorder:
        for result, running in arriving:
            if result is None:  # time to save what has arrived
                recorder.commit()
            else:
                recorder.save(result)
                done += 1
                progress(BatchProgress(done, len(plan.tasks), result.key, running))
    book.copy_to_identical()


def summarise(
    enrolment: Enrolment, plan: GradingPlan, rows: Sequence[SubmissionRow], layers: tuple[str, ...], seconds: float
) -> BatchSummary:
    """The summary of a batch, with the ``rows`` of the gradebook after grading."""
    gradable = [row for row in rows if row.error is None]
    planned = {(row.digest, row.seed_name) for row in plan.rows.values()}
    graded = sum((row.digest, row.seed_name) in planned for row in gradable)
    timeless = [row for row in rows if row.at is None]
    return BatchSummary(
        enrolment=enrolment if plan.draws else replace(enrolment, misnamed=(), respelt=()),
        submissions=len(rows),
        graded=graded,
        kept=len(gradable) - graded,
        refused=tuple((row.key, row.error) for row in rows if row.error is not None),
        layers=layers,
        seconds=seconds,
        rules=plan.course.rules,
        timeless=len(timeless),
        said_late=sum(row.late for row in timeless),
    )


# ------------------------------------------------------------------------------------------ for people and for programs


NOT_GRADED = Message("not gradable, see below")
#: Width of the learner column, in terminal cells.
_NAME_WIDTH = 30
#: Rows of the table; class.csv has them all.
_MOST_ROWS = 60


def to_json(summary: BatchSummary, rows: list[MarkSummary], out: Path) -> dict[str, Any]:
    """The summary and the rows as JSON values."""
    enrolment = summary.enrolment
    learners = [
        {
            "learner": clean(row.mark.learner.id),
            "name": clean(row.mark.learner.name),
            **picked(row.mark, "earned", "possible", "complete", "passed", "counts"),
            "late_by_seconds": number(row.mark.late_seconds) if row.mark.late_seconds else None,
            "error": None if row.error is None else clean(row.error.en, 2000, lines=True),
            "notes": [clean(note) for note in row.notes],
            **picked(row, "unread", "file"),
        }
        for row in rows
    ]
    return {
        "format": 1,
        "out": str(out),
        "intake": enrolment.kind,
        **picked(summary, "submissions", "graded", "kept", "layers"),
        **{name: list(map(clean, getattr(enrolment, name))) for name in ("missing", "unknown", "ambiguous", "twice")},
        "misnamed": {clean(who): clean(said) for who, said in enrolment.misnamed},
        "respelt": {clean(who): clean(said) for who, said in enrolment.respelt},
        "leftovers": list(map(clean, enrolment.leftovers)),
        "rules": asdict(summary.rules),
        "seconds": number(round(summary.seconds, 3)),
        "learners": learners,
    }


def lines(summary: BatchSummary, rows: list[MarkSummary], out: Path, lang: Lang) -> Sequence[str]:
    """The lines of the summary: a table of the class, what needs attention, and totals."""
    shown = rows[:_MOST_ROWS]
    called = shorten_distinct((clean(row.mark.learner.id) for row in shown), _NAME_WIDTH)
    cells = [tuple(text.of(lang) for text in (Message("learner"), Message("points"), Message("status")))]
    cells += [_cells(row, called[clean(row.mark.learner.id)], lang) for row in shown]
    counting = [row for row in rows if row.mark.counts]
    return text_lines(
        __file__,
        "batch.txt",
        lang,
        summary=summary,
        rows=rows,
        out=str(out),
        table=[shorten(line, WIDTH) for line in columns(cells, right=[1])],
        most=_MOST_ROWS,
        names=list(_names(summary.enrolment, lang)),
        first_names=first_names,
        # How many answers nobody could read, and how many wait for a person, in submissions that count.
        unread={row.mark.learner.id: len(row.unread) for row in counting if row.unread},
        pending={row.mark.learner.id: row.pending for row in counting if row.pending},
        rules=("" if lang == "zh" else " ").join(sentence.of(lang) for sentence in policy_sentences(summary.rules)),
    )


def _names(enrolment: Enrolment, lang: Lang) -> Iterator[Text]:
    """The names that need attention."""
    said = texts(__file__, "batch.yaml")
    for kind in ("missing", "unknown", "ambiguous", "twice", "misnamed", "respelt", "leftovers"):
        names = getattr(enrolment, kind)
        if kind in ("misnamed", "respelt"):
            names = [Message("{who} (“{said}”)").fill(who=who, said=name).of(lang) for who, name in names]
        if names:
            words = "misnamed-unlisted" if kind == "misnamed" and not enrolment.listed else kind
            yield said[words].fill(names=first_names(names))


def _cells(row: MarkSummary, learner: str, lang: Lang) -> tuple[str, str, str]:
    earned = words.OF.fill(earned=points(row.mark.earned), possible=points(row.mark.possible)).of(lang)
    if row.error is not None:
        why = Message("nothing to grade, see below") if row.error.en.startswith(NOTHING_IN) else NOT_GRADED
        return learner, earned if row.mark.overridden else "–", why.of(lang)
    if not row.submitted:
        return learner, earned if row.mark.overridden else "–", NOTHING_THERE.of(lang)
    status = WHOLE if row.mark.passed else GRADED if row.mark.complete else PARTLY
    remarks = [status.of(lang)]
    if row.mark.late_seconds:
        remarks.append(words.LATE.fill(time=duration(row.mark.late_seconds)).of(lang))
    if not row.mark.counts:
        remarks.append(Message("another attempt counts").of(lang))
    for note in row.notes:
        for text in (SAID_LATE, CHECK_BROKE, NOT_ALL_READ, OTHER_NAME):
            note = note.replace(text.en, text.of(lang))
        remarks.append(clean(note))
    return learner, earned, SEMICOLON.of(lang).join(remarks)

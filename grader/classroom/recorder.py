"""Save the results of a batch in the gradebook, and list what is not graded yet.

This module uses no processes: results in, rows out.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader import __version__
from grader.classroom.gradebook import Gradebook, GradingRun, SubmissionRecord, SubmissionRow
from grader.classroom.task import GradingTask, TaskResult
from grader.core import serialize
from grader.core.model import Course, Question, Text
from grader.course import edits
from grader.course.items import draw_choices
from grader.grading.inputs import Seed
from grader.grading.plan import module_of


def question_version(question: Question, course: Course, seed: str) -> str:
    """A digest of everything except the submission that determines how a question is graded.

    It covers the question, its references, the packages that submissions may import, the label of the seed, and the
    version of attncheck.
    """
    sources = {
        (file.path, part.text)
        for exercise in question.exercises
        for file in edits.closure(course.reference, module_of(exercise))
        for part in file.parts
    }
    words = [__version__, course.public_id, seed, repr(question), repr(sorted(sources))]
    words += course.packages  # without them, code that imports them fails
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def question_versions(questions: Iterable[Question], course: Course, seed: Seed) -> dict[str, str]:
    """The version of each question, by id; see ``question_version``."""
    return {question.id: question_version(question, course, seed.label) for question in questions}


def grading_facts(course_folder: Path, seed: Seed, course: Course, versions: Mapping[str, str]) -> dict[str, object]:
    """The facts that a gradebook stores about how questions were graded, by name.

    ``versions`` are those of the questions that count.
    """
    return {
        "versions": dict(versions),
        "questions": {question.id: question.points for question in course.questions if question.id in versions},
        "course": str(course_folder),
        "seed": seed.label,
        "rules": serialize.dump(course.rules),
    }


@dataclass(frozen=True, slots=True)
class GradingPlan:
    """What to grade: ``tasks``, and the submission of each in ``rows``, by key.

    ``versions`` are those of the questions that count.
    """

    course: Course
    seed: Seed
    versions: Mapping[str, str]
    rows: Mapping[str, SubmissionRow]
    tasks: tuple[GradingTask, ...] = ()

    @classmethod
    def of(
        cls, course: Course, seed: Seed, versions: Mapping[str, str], tasks: Iterable[tuple[SubmissionRow, GradingTask]]
    ) -> GradingPlan:
        """The plan of ``tasks``, each with its submission."""
        pairs = tuple(tasks)
        return cls(course, seed, versions, {row.key: row for row, _ in pairs}, tuple(task for _, task in pairs))

    @property
    def draws(self) -> bool:
        """Whether an item of the questions that count has numbers of the learner's own."""
        counting = [question for question in self.course.questions if question.id in self.versions]
        return any(draw_choices(item.spec) for question in counting for item in question.items)


def tasks_left(
    book: Gradebook, versions: Mapping[str, str], among: Iterable[SubmissionRow] | None = None
) -> Iterator[tuple[SubmissionRow, GradingTask]]:
    """The tasks for what is not graded yet: one for all submissions with the same files and the same numbers.

    ``versions`` are those of the questions that count; ``among`` are the submissions to consider (default: all).
    """
    seen = set()
    for row in book.submissions() if among is None else among:
        if row.error is None and (row.digest, row.seed_name) not in seen:
            seen.add((row.digest, row.seed_name))
            done = book.graded(row)
            left = tuple(name for name, current in versions.items() if (name, current) not in done)
            if left:
                yield row, GradingTask(row.key, row.path, row.seed_name, left, digest=row.digest)


#: How many results are saved together, and for how many seconds the first of them may wait for the others: each
#: transaction waits for the disk.
_TOGETHER = 64
_LONGEST_WAIT = 0.05


class Recorder:
    """Saves the results of the tasks of ``plan`` in ``book``, several in one transaction.

    Use it in a ``with`` statement, which saves the remaining results at its end, even after an error.
    """

    def __init__(self, book: Gradebook, plan: GradingPlan, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._book = book
        self._plan = plan
        self._clock = clock
        self._graded: list[SubmissionRecord] = []
        self._refused: list[tuple[SubmissionRow, Text]] = []
        self._due = 0.0

    def __enter__(self) -> Recorder:
        """Return the recorder."""
        return self

    def __exit__(self, *_: object) -> None:
        """Save the remaining results."""
        self.commit()

    def save(self, result: TaskResult) -> None:
        """Accept a result, to be saved together with others that arrive soon."""
        row = self._plan.rows[result.key]
        if not self._graded and not self._refused:
            self._due = self._clock() + _LONGEST_WAIT
        if result.error is not None:
            self._refused.append((row, result.error))
        else:
            self._graded.append(self._record(row, result))
        if len(self._graded) + len(self._refused) >= _TOGETHER or self._clock() >= self._due:
            self.commit()

    def _record(self, row: SubmissionRow, result: TaskResult) -> SubmissionRecord:
        plan = self._plan
        how = (result.versions, result.layers, result.unsafe)
        run = GradingRun(datetime.now(UTC), result.seconds, plan.seed.label, plan.course.digest, *how)
        units = tuple((plan.versions[graded.question], graded) for graded in result.results)
        return SubmissionRecord(row, run, units, result.answers, result.notices)

    def commit(self) -> None:
        """Save all accepted results."""
        if self._graded or self._refused:
            self._book.record_all(self._graded, self._refused)
            self._graded, self._refused = [], []

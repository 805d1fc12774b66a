"""Save the results of a batch in the gradebook, and list what is not graded yet.

This module uses no processes: results in, rows out.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from grader import __version__
from grader.classroom.gradebook import Gradebook, GradingRun, SubmissionRecord, SubmissionRow
from grader.classroom.task import GradingTask, TaskResult
from grader.core import serialize
from grader.core.model import Course, Question, Text
from grader.course import edits
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


def grading_facts(course_folder: Path, seed: Seed, course: Course, counting: Sequence[Question]) -> dict[str, object]:
    """The facts that a gradebook stores about how questions were graded, by name. ``counting`` are those that count."""
    return {
        "versions": {question.id: question_version(question, course, seed.label) for question in counting},
        "questions": {question.id: question.points for question in counting},
        "course": str(course_folder),
        "seed": seed.label,
        "rules": serialize.dump(course.rules),
    }


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


#: How many results are saved together, and for how many seconds the first of them may wait for the others.
_TOGETHER = 64
_LONGEST_WAIT = 0.05


class Recorder:
    """Saves the results of tasks in ``book``, several in one transaction, because each transaction waits for the disk.

    ``submissions`` has the submission of each task by key, ``versions`` the versions of the questions. Use it in a
    ``with`` statement, which saves the remaining results at its end, even after an error.
    """

    def __init__(
        self,
        book: Gradebook,
        submissions: Mapping[str, SubmissionRow],
        versions: Mapping[str, str],
        course: Course,
        seed: Seed,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._book = book
        self._submissions = submissions
        self._versions = versions
        self._course = course.digest
        self._seed = seed.label
        self._clock = clock
        self._graded: list[SubmissionRecord] = []
        self._refused: list[tuple[SubmissionRow, Text]] = []
        self._due: float | None = None

    def __enter__(self) -> Recorder:
        """Return the recorder."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Save the remaining results."""
        self.commit()

    def save(self, result: TaskResult) -> None:
        """Accept the result of a task, to be saved together with others (see ``save_due``)."""
        row = self._submissions[result.key]
        if result.error is not None:
            self._refused.append((row, result.error))
        else:
            units = tuple((self._versions[found.question], found) for found in result.results)
            now = datetime.now(UTC)
            run = GradingRun(
                now, result.seconds, self._seed, self._course, result.versions, result.layers, result.unsafe
            )
            self._graded.append(SubmissionRecord(row, run, units, result.answers, result.notices))
        if self._due is None:
            self._due = self._clock() + _LONGEST_WAIT
        if len(self._graded) + len(self._refused) >= _TOGETHER:
            self.commit()

    def save_due(self) -> float | None:
        """Save the results if they are due. Returns the seconds until they are; None if nothing is left to save."""
        if self._due is None:
            return None
        left = self._due - self._clock()
        if left > 0:
            return left
        self.commit()
        return None

    def commit(self) -> None:
        """Save all accepted results."""
        if self._due is not None:
            self._book.record_all(self._graded, self._refused)
            self._graded, self._refused, self._due = [], [], None

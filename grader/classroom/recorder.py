"""Saves what a batch finds in the gradebook, and tells what is still to be graded.

Knows nothing of processes: results in, rows out.
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
    """A digest of everything but the submission that decides how a question is graded.

    That is its file, its references, the packages that submissions may import, the label of the seed, and the version
    of attncheck.
    """
    sources = {
        (file.path, part.text)
        for exercise in question.exercises
        for file in edits.closure(course.reference, module_of(exercise))
        for part in file.parts
    }
    words = [__version__, course.public_id, seed, repr(question), repr(sorted(sources))]
    words += course.packages  # code that imports them failed without
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def grading_facts(course_folder: Path, seed: Seed, course: Course, counting: Sequence[Question]) -> dict[str, object]:
    """What a gradebook remembers about how the questions that count were graded, by name."""
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
    """What is not graded yet: one task for all submissions with the same files and the same numbers.

    ``among`` are the submissions to look at, by default all.
    """
    seen = set()
    for row in book.submissions() if among is None else among:
        if row.error is None and (row.digest, row.seed_name) not in seen:
            seen.add((row.digest, row.seed_name))
            done = book.graded(row)
            left = tuple(name for name, current in versions.items() if (name, current) not in done)
            if left:
                yield row, GradingTask(row.key, row.path, row.seed_name, left, digest=row.digest)


#: Results that are saved together, and seconds that the first of them may wait for the others.
_TOGETHER = 64
_LONGEST_WAIT = 0.05


class Recorder:
    """Saves the results of tasks in ``book``, several in one transaction, because each transaction waits for the disk.

    ``submissions`` has the submission of each task, by its key; ``versions`` those of the questions. Used in a
    ``with`` statement, which saves what is left at its end, whatever the reason for the end.
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
        """Nothing has been taken yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Save what is left."""
        self.commit()

    def save(self, result: TaskResult) -> None:
        """Take what was found, or why nothing could be; it is saved with others, but soon (see ``save_due``)."""
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
        """Save what is due. Returns in how many seconds something will be; None if nothing is left to save."""
        if self._due is None:
            return None
        left = self._due - self._clock()
        if left > 0:
            return left
        self.commit()
        return None

    def commit(self) -> None:
        """Save everything that has been taken."""
        if self._due is not None:
            self._book.record_all(self._graded, self._refused)
            self._graded, self._refused, self._due = [], [], None

"""Saves what a batch finds in the gradebook, and tells what is still to be graded.

Knows nothing of processes: results in, rows out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from grader import __version__
from grader.classroom.gradebook import Gradebook, Run, SubmissionRow, Unit
from grader.classroom.task import Task, TaskResult
from grader.core import serialize
from grader.core.model import Course, Question
from grader.course import edits
from grader.grading.grade import module_of
from grader.grading.inputs import Seed


def question_version(question: Question, course: Course, seed: Seed) -> str:
    """A digest of everything but the submission that decides how a question is graded.

    That is its file, its references, the packages that submissions may import, the seed, and the version of attncheck.
    """
    sources = {
        (file.path, part.text)
        for exercise in question.exercises
        for file in edits.closure(course.reference, module_of(exercise))
        for part in file.parts
    }
    words = [__version__, course.public_id, seed.label, repr(question), repr(sorted(sources))]
    words += course.packages  # code that imports them failed without
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def grading_facts(course_folder: Path, seed: Seed, course: Course, counting: Sequence[Question]) -> dict[str, object]:
    """What a gradebook remembers about how the questions that count were graded, by name."""
    return {
        "versions": {question.id: question_version(question, course, seed) for question in counting},
        "questions": {question.id: question.points for question in counting},
        "course": str(course_folder),
        "seed": seed.label,
        "rules": serialize.dump(course.rules),
    }


def tasks_left(book: Gradebook, versions: Mapping[str, str]) -> Iterator[tuple[SubmissionRow, Task]]:
    """What is not graded yet: one task for all submissions with the same files and the same numbers."""
    seen = set()
    for filed in book.submissions():
        if filed.error is None and (filed.digest, filed.seed_name) not in seen:
            seen.add((filed.digest, filed.seed_name))
            left = tuple(name for name, current in versions.items() if not book.has(filed, name, current))
            if left:
                yield filed, Task(filed.key, filed.path, filed.seed_name, left, digest=filed.digest)


class Recorder:
    """Saves the results of tasks in ``book``, one transaction each.

    ``submissions`` has the submission of each task, by its key; ``versions`` those of the questions.
    """

    def __init__(
        self,
        book: Gradebook,
        submissions: Mapping[str, SubmissionRow],
        versions: Mapping[str, str],
        course: Course,
        seed: Seed,
    ) -> None:
        self._book = book
        self._submissions = submissions
        self._versions = versions
        self._course = course.digest
        self._seed = seed.label

    def save(self, result: TaskResult) -> None:
        """Save what was found, or why nothing could be."""
        filed = self._submissions[result.key]
        if result.error is not None:
            self._book.refuse(filed, result.error)
            return
        units = [Unit(found.id, self._versions[found.id], found) for found in result.results]
        now = datetime.now(UTC)
        run = Run(now, result.seconds, self._seed, self._course, result.versions, result.layers, result.unsafe)
        self._book.record(filed, run, units, dict(result.answers), result.notices)

"""Grading again what a change of the bank touches, and nothing else; and what a gradebook remembers for it.

Everything is worked out in a copy of the gradebook first, so that the differences can be seen before anything of them
is put down.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import cast

from grader.classroom.batch import Order, Step, grade_all, select_questions
from grader.classroom.gradebook import Filed, Gradebook, open_gradebook
from grader.classroom.lock import locked
from grader.classroom.marks import Mark
from grader.classroom.record import grading_facts, tasks_left
from grader.classroom.results import Book, write_files
from grader.classroom.task import Task
from grader.core.errors import GradebookError, SubmissionError, UsageError
from grader.core.model import Course, Lang, Rules, Text
from grader.core.score import tidy
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.submission import fingerprint

#: Submissions named in a message; more are counted.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class RegradeRequest:
    """What is to be graded again, with what. Without ``course_folder``, with the course it was graded with."""

    folder: Path
    seed: Seed
    course_folder: Path | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """Points of a learner that are other than before, as (earned, possible).

    ``question`` is None for what the learner gets in all, where the questions alone do not tell it.
    """

    learner: str
    question: str | None
    before: tuple[float, float]
    after: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Regraded:
    """What grading again has found; nothing of it is in the gradebook yet.

    ``questions`` are not as they were when they were graded, ``submissions`` were graded again for them; ``refused``
    are those that could not be. ``news`` is false where the gradebook would stay as it is.
    """

    changes: tuple[Change, ...]
    questions: tuple[str, ...]
    submissions: int
    refused: tuple[tuple[str, Text], ...]
    news: bool
    layers: tuple[str, ...]


@contextlib.contextmanager
def regraded(
    asked: RegradeRequest, progress: Callable[[Step], None] = lambda step: None, *, dry: bool = False
) -> Iterator[tuple[Regraded, Callable[[Lang], None]]]:
    """What grading again finds, and what puts it down, with the files of results: all of it, or nothing.

    Nobody else grades into the folder meanwhile; a ``dry`` run leaves no trace there at all.
    Raises UsageError where the submissions are not what was graded, or the seed is another one.
    """
    with contextlib.ExitStack() as stack:
        book = stack.enter_context(contextlib.closing(open_gradebook(asked.folder)))
        if not dry:
            stack.enter_context(locked(asked.folder))
        check_seed(book, asked.seed)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attncheck-")))
        copy = stack.enter_context(contextlib.closing(book.copy(scratch)))
        found = _Again(asked, book, copy, scratch)
        yield found.grade(progress), found.put_down


class _Again:
    """A gradebook, and a copy of it that is graded again."""

    def __init__(self, asked: RegradeRequest, book: Gradebook, copy: Gradebook, scratch: Path) -> None:
        self.book, self.copy = book, copy
        folder = course_of(book, asked.course_folder)
        self.course = loader.whole(courses.load(folder))
        counting = select_questions(self.course, tuple(points_of(book)))
        self.order = Order(asked.folder, scratch, folder, asked.seed, workers=asked.workers)
        self.facts = grading_facts(folder, asked.seed, self.course, counting)
        self.versions = cast("dict[str, str]", self.facts["versions"])
        self.tasks: dict[str, tuple[Filed, Task]] = {}

    def grade(self, progress: Callable[[Step], None]) -> Regraded:
        """Grades again in the copy, and compares."""
        then = {name: self.book.recall(name) for name in self.facts}
        old = self.book.table("versions", str)
        self.tasks = _tasks(self.book, self.versions)
        self.copy.remember_all(self.facts)
        layers: tuple[str, ...] = ()
        if self.tasks:
            layers = grade_all(self.order, self.copy, self.tasks, self.versions, self.course, progress)
            self.copy.share()
        return Regraded(
            changes=tuple(changes(_before(self.book, self.course), Book.of(self.copy, self.course))),
            questions=tuple(name for name, current in self.versions.items() if old.get(name) != current),
            submissions=len(self.tasks),
            refused=tuple((filed.key, error) for filed, error in self._failed()),
            news=bool(self.tasks) or any(self.facts[name] != then[name] for name in self.facts),
            layers=layers,
        )

    def put_down(self, lang: Lang) -> None:
        """What was found, submission by submission; then, at once, that it counts; then the files."""
        for filed, task in self.tasks.values():
            new = self.copy.units(filed, {name: self.versions[name] for name in task.questions})
            if new:
                units = [unit for unit, _ in new]
                self.book.record(filed, new[0][1], units, self.copy.answers(filed), self.copy.notices(filed))
        self.book.remember_all(self.facts)
        for filed, error in self._failed():
            self.book.refuse(filed, error)
        self.book.share()
        write_files(Book.of(self.book, self.course), self.book.path.parent, lang)

    def _failed(self) -> list[tuple[Filed, Text]]:
        """The submissions that could not be graded again, with the reason."""
        found = self.copy.submissions()
        return [(filed, filed.error) for filed in found if filed.error is not None and filed.key in self.tasks]


def _tasks(book: Gradebook, versions: Mapping[str, str]) -> dict[str, tuple[Filed, Task]]:
    """What is to be graded again, where it lies now. Raises UsageError where that is not what was graded."""
    tasks = {}
    moved = []
    for filed, task in tasks_left(book, versions):
        place = book.place(filed)
        if not is_as_graded(filed, place):
            moved.append(str(place))
        tasks[filed.key] = filed, replace(task, path=str(place))
    if moved:
        listed = ", ".join(moved[:_NAMED]) + (f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else "")
        raise UsageError(
            f"These submissions are gone, or not what was graded: {listed}. Put them back, or run 'attncheck batch' "
            "on the collection again: it grades what is new in it."
        )
    return tasks


def is_as_graded(filed: Filed, place: Path) -> bool:
    """Whether the files that were graded are still there."""
    try:
        return fingerprint(place) == filed.digest
    except SubmissionError:
        return False


# --------------------------------------------------------------------------------- what a book remembers


def points_of(book: Gradebook) -> dict[str, float]:
    """The questions that count, with their points. Raises GradebookError where nothing was graded."""
    found = book.table("questions", float)
    if not found:
        raise GradebookError(f"{book.path} does not say which questions count: run 'attncheck batch' again.")
    return found


def course_of(book: Gradebook, named: Path | None) -> Path:
    """The course folder that is ``named``, else the one that the book was graded with."""
    if named is not None:
        return loader.find(named)
    known = book.recall("course")
    if isinstance(known, str) and Path(known, "questions").is_dir():
        return Path(known)
    raise UsageError(
        f"{book.path.parent} was graded with the course in {known}, which is not there; name its folder with --course."
    )


def seed_of(folder: Path, course_folder: Path | None) -> Seed:
    """The seed that the course of a folder of results names, else the public one."""
    with contextlib.closing(open_gradebook(folder)) as book:
        loaded = courses.load(course_of(book, course_folder))
    file = loader.beside(loaded, "seed_file")
    return Seed.public() if file is None else Seed.from_file(file)


def check_seed(book: Gradebook, seed: Seed) -> None:
    """Raises UsageError where hidden cases were drawn from another seed than this one."""
    known = str(book.recall("seed"))
    if known == seed.label:
        return
    remedy = "give the seed that it was graded with"
    if known.startswith("file:"):
        remedy = "give the file that it was graded with as --seed-file"
    elif known == Seed.public().label:
        remedy = "leave out --seed-file, and seed_file in course.yaml"
    raise UsageError(
        f"{book.path.parent} was graded with the seed {known}, this is the seed {seed.label}: {remedy}. "
        "(To grade a class with another seed, run 'attncheck batch' with it.)"
    )


def _before(book: Gradebook, loaded: Course) -> Book:
    """The book as it was graded, by the rules of then."""
    rules = book.fact("rules", Rules)
    return Book.of(book, loaded if rules is None else replace(loaded, rules=rules))


# --------------------------------------------------------------------------------------------- comparing


def changes(before: Book, after: Book) -> Iterator[Change]:
    """Every difference in points that count, learner by learner. Both books have the same learners."""
    yield from _changes(before.marks(), after.marks())
    yield from _changes(before.unmatched(), after.unmatched())


def _changes(before: Iterable[Mark], after: Iterable[Mark]) -> Iterator[Change]:
    pairs = zip(before, after, strict=True)
    for learner, group in groupby(pairs, lambda pair: pair[0].learner.id):
        marks = list(group)
        rows = [row for old, new in marks if old.counts or new.counts for row in _questions(learner, old, new)]
        sums = _sum([old for old, _ in marks]), _sum([new for _, new in marks])
        yield from rows
        moved = _moved(*sums)
        if any(moved) and [_moved(row.before, row.after) for row in rows] != [moved]:
            yield Change(learner, None, *sums)


def _moved(before: tuple[float, float], after: tuple[float, float]) -> tuple[float, float]:
    return tidy(after[0] - before[0]), tidy(after[1] - before[1])


def _questions(learner: str, old: Mark, new: Mark) -> Iterator[Change]:
    then = {name: (earned, possible) for name, earned, possible in old.questions}
    now = {name: (earned, possible) for name, earned, possible in new.questions}
    for name in now:
        if then.get(name, (0.0, 0.0)) != now[name]:
            yield Change(learner, name, then.get(name, (0.0, 0.0)), now[name])


def _sum(marks: Sequence[Mark]) -> tuple[float, float]:
    counting = [mark for mark in marks if mark.counts]
    return tidy(sum(mark.earned for mark in counting)), tidy(sum(mark.possible for mark in counting))

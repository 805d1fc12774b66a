"""Grade again what a change of the bank affects, and nothing else.

This happens in a copy of the gradebook, so that the differences can be shown before they are saved.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Annotated

from grader.classroom.batch import BatchProgress, BatchRequest, grade, record, select_questions
from grader.classroom.class_folder import locked
from grader.classroom.gradebook import Gradebook, SubmissionRow, open_gradebook
from grader.classroom.marks import Mark
from grader.classroom.recorder import GradingPlan, grading_facts, question_versions, tasks_left
from grader.classroom.results import Book, write_files
from grader.classroom.task import GradingTask
from grader.classroom.text_view import text_lines
from grader.core.errors import GradebookError, SubmissionError, UsageError
from grader.core.layout import WIDTH, columns, shorten, shorten_distinct
from grader.core.model import Course, Lang, Message, Rules, Text
from grader.core.score import tidy
from grader.core.serialize import Shown, Written
from grader.core.text import clean, points
from grader.course import loader
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.report import words
from grader.submission import fingerprint

#: The most submissions that a message names.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class RegradeRequest:
    """What to grade again. Without ``course_folder``, the course is the one used for grading."""

    folder: Path
    seed: Seed
    course_folder: Path | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class EarnedPoints:
    """Points.

    - `earned`: points
    - `possible`: the most that could be earned
    """

    earned: float
    possible: float


def _earned(points: tuple[float, float]) -> EarnedPoints:
    return EarnedPoints(*points)


@dataclass(frozen=True, slots=True)
class PointsChange:
    """A change of a learner's points, which are (earned, possible).

    - `learner`: the id of the learner
    - `question`: its id; `null` for a change of the total that the changes of the questions do not explain
    - `before`: the points before
    - `after`: the points after
    """

    learner: Shown
    question: str | None
    before: Annotated[tuple[float, float], Written(_earned)]
    after: Annotated[tuple[float, float], Written(_earned)]


@dataclass(frozen=True, slots=True)
class RegradeResult:
    """The result of a regrading that is not saved yet.

    ``questions`` have changed since they were graded. ``submissions`` is how many submissions were graded again;
    ``refused`` are (key, reason) of those that could not be. ``has_changes`` is false if the gradebook would not
    change.
    """

    changes: tuple[PointsChange, ...]
    questions: tuple[str, ...]
    submissions: int
    refused: tuple[tuple[str, Text], ...]
    has_changes: bool
    layers: tuple[str, ...]


@contextlib.contextmanager
def regraded(
    request: RegradeRequest, progress: Callable[[BatchProgress], None] = lambda step: None, *, dry: bool = False
) -> Iterator[tuple[RegradeResult, Callable[[Lang], None]]]:
    """Grade again. Yields the result, and a function that saves it in the gradebook and the result files.

    The folder stays locked meanwhile; a ``dry`` run does not lock or change it. Raises UsageError if submissions have
    changed since they were graded, or if the seed differs.
    """
    with contextlib.ExitStack() as stack:
        book = stack.enter_context(contextlib.closing(open_gradebook(request.folder)))
        if not dry:
            stack.enter_context(locked(request.folder))
        check_seed(book, request.seed)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="attncheck-")))
        copy = stack.enter_context(contextlib.closing(book.copy(scratch)))
        found = _Regrading(request, book, copy, scratch)
        yield found.grade(progress), found.save


class _Regrading:
    """A gradebook, and its copy in which questions are graded again."""

    def __init__(self, request: RegradeRequest, book: Gradebook, copy: Gradebook, scratch: Path) -> None:
        self.book, self.copy = book, copy
        folder = course_of(book, request.course_folder)
        self.course = loader.full_course(courses.load(folder))
        counting = select_questions(self.course, tuple(points_of(book)))
        self.request = BatchRequest(request.folder, scratch, folder, request.seed, workers=request.workers)
        self.versions = question_versions(counting, self.course, request.seed)
        self.facts = grading_facts(folder, request.seed, self.course, self.versions)
        self.tasks: dict[str, tuple[SubmissionRow, GradingTask]] = {}

    def grade(self, progress: Callable[[BatchProgress], None]) -> RegradeResult:
        """Grade again in the copy, and compare."""
        then = {name: self.book.recall(name) for name in self.facts}
        old = self.book.table("versions", str)
        self.tasks = _tasks(self.book, self.versions)
        self.copy.remember_all(self.facts)
        plan = GradingPlan.of(self.course, self.request.seed, self.versions, self.tasks.values())
        with grade(self.request, plan) as (arriving, layers):
            record(self.copy, plan, arriving, progress)
        return RegradeResult(
            changes=tuple(points_changes(_before(self.book, self.course), Book.of(self.copy, self.course))),
            questions=tuple(name for name, current in self.versions.items() if old.get(name) != current),
            submissions=len(self.tasks),
            refused=tuple((row.key, error) for row, error in self._failed()),
            has_changes=bool(self.tasks) or any(self.facts[name] != then[name] for name in self.facts),
            layers=layers,
        )

    def save(self, lang: Lang) -> None:
        """Save the results of each submission, then the facts that make them count, then the result files."""
        for row, task in self.tasks.values():
            new = self.copy.units(row, {name: self.versions[name] for name in task.questions})
            if new:
                units = [(self.versions[result.id], result) for result, _ in new]
                self.book.record(row, new[0][1], units, self.copy.answers(row), self.copy.notices(row))
        self.book.remember_all(self.facts)
        for row, error in self._failed():
            self.book.refuse(row, error)
        self.book.copy_to_identical()
        write_files(Book.of(self.book, self.course), self.book.path.parent, lang)

    def _failed(self) -> list[tuple[SubmissionRow, Text]]:
        """The submissions that could not be graded again, with the reason."""
        found = self.copy.submissions()
        return [(row, row.error) for row in found if row.error is not None and row.key in self.tasks]


def _tasks(book: Gradebook, versions: Mapping[str, str]) -> dict[str, tuple[SubmissionRow, GradingTask]]:
    """What to grade again, by key, with current paths. Raises UsageError if files have changed since grading."""
    tasks = {}
    moved = []
    for row, task in tasks_left(book, versions):
        place = book.place(row)
        if not is_as_graded(row, place):
            moved.append(str(place))
        tasks[row.key] = row, replace(task, path=str(place))
    if moved:
        listed = ", ".join(moved[:_NAMED]) + (f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else "")
        said = Message(
            "These submissions are missing or have changed since they were graded: {listed}. Restore them, or run "
            "`attncheck batch` on the collection again to grade what is new in it."
        )
        raise UsageError(said.fill(listed=listed))
    return tasks


def is_as_graded(row: SubmissionRow, place: Path) -> bool:
    """Whether the files at ``place`` are those that were graded."""
    try:
        return fingerprint(place) == row.digest
    except SubmissionError:
        return False


# --------------------------------------------------------------------------------- what a book remembers


def points_of(book: Gradebook) -> dict[str, float]:
    """The questions that count, with their points. Raises GradebookError if nothing was graded."""
    found = book.table("questions", float)
    if not found:
        said = Message("{book} does not record which questions count;").with_advice(
            Message("run `attncheck batch` again.")
        )
        raise GradebookError(said.fill(book=book.path))
    return found


def course_of(book: Gradebook, named: Path | None) -> Path:
    """The course folder ``named``, else the one used for grading. Raises UsageError if it no longer exists."""
    if named is not None:
        return loader.find(named)
    known = book.recall("course")
    if isinstance(known, str) and Path(known, "questions").is_dir():
        return Path(known)
    said = Message("{parent} was graded with the course in {known}, which no longer exists;").with_advice(
        Message("give its folder with --course.")
    )
    raise UsageError(said.fill(parent=book.path.parent, known=known))


def graded_course(book: Gradebook, named: Path | None) -> Course:
    """The course in the folder ``named``, else the one used for grading. Raises UsageError for a learners' edition."""
    return loader.full_course(courses.load(course_of(book, named)))


def seed_of(folder: Path, course_folder: Path | None) -> Seed:
    """The seed that the course of a results folder names, else the public seed."""
    with contextlib.closing(open_gradebook(folder)) as book:
        loaded = courses.load(course_of(book, course_folder))
    file = loader.file_named_in_course(loaded, "seed_file")
    return Seed.public() if file is None else Seed.from_file(file)


def check_seed(book: Gradebook, seed: Seed) -> None:
    """Raise UsageError if hidden cases were drawn from another seed."""
    known = str(book.recall("seed"))
    if known == seed.label:
        return
    remedy = Message("give the seed that it was graded with")
    if known.startswith("file:"):
        remedy = Message("give the original seed file with --seed-file")
    elif known == Seed.public().label:
        remedy = Message("leave out `--seed-file`, and `seed_file` in `course.yaml`")
    said = Message(
        "{parent} was graded with seed {known}, but this command uses seed {seed}: {remedy}. (To grade a "
        "class with another seed, run `attncheck batch` with it.)"
    )
    raise UsageError(said.fill(parent=book.path.parent, known=known, seed=seed.label, remedy=remedy))


def _before(book: Gradebook, loaded: Course) -> Book:
    """The gradebook with the rules that were in force when it was graded."""
    rules = book.fact("rules", Rules)
    return Book.of(book, loaded if rules is None else replace(loaded, rules=rules))


# --------------------------------------------------------------------------------------------- comparing


def points_changes(before: Book, after: Book) -> Iterator[PointsChange]:
    """All changes in points that count, by learner. Both books have the same learners."""
    old_marks, new_marks = (chain(book.marks(), book.unmatched()) for book in (before, after))
    pairs = zip(old_marks, new_marks, strict=True)
    for learner, group in groupby(pairs, lambda pair: pair[0].learner.id):
        marks = list(group)
        rows = [row for old, new in marks if old.counts or new.counts for row in _questions(learner, old, new)]
        sums = _sum([old for old, _ in marks]), _sum([new for _, new in marks])
        yield from rows
        moved = _moved(*sums)
        if any(moved) and [_moved(row.before, row.after) for row in rows] != [moved]:
            yield PointsChange(learner, None, *sums)


def _moved(before: tuple[float, float], after: tuple[float, float]) -> tuple[float, float]:
    return tidy(after[0] - before[0]), tidy(after[1] - before[1])


def _questions(learner: str, old: Mark, new: Mark) -> Iterator[PointsChange]:
    then = {name: (earned, possible) for name, earned, possible in old.questions}
    now = {name: (earned, possible) for name, earned, possible in new.questions}
    for name in now:
        if then.get(name, (0.0, 0.0)) != now[name]:
            yield PointsChange(learner, name, then.get(name, (0.0, 0.0)), now[name])


def _sum(marks: Sequence[Mark]) -> tuple[float, float]:
    counting = [mark for mark in marks if mark.counts]
    return tidy(sum(mark.earned for mark in counting)), tidy(sum(mark.possible for mark in counting))


# -------------------------------------------------------------- what was found, for people and as JSON

COLUMNS = (Message("learner"), Message("question"), Message("before"), Message("now", "points"), Message("difference"))
#: Rows of the table; --json has them all.
_MOST_ROWS = 200
#: Width of the learner column, in terminal cells.
_NAME_WIDTH = 30


def lines(found: RegradeResult, folder: Path, lang: Lang) -> Sequence[str]:
    """The differences as a table, then the submissions that could not be graded, then totals."""
    shown = found.changes[:_MOST_ROWS]
    names = shorten_distinct((clean(change.learner) for change in shown), _NAME_WIDTH)
    rows = [_cells(change, names[clean(change.learner)], lang) for change in shown]
    table = columns([tuple(text.of(lang) for text in COLUMNS), *rows], right=[2, 3, 4]) if rows else []
    given = {"table": [shorten(line, WIDTH) for line in table], "most": _MOST_ROWS}
    return text_lines(__file__, "regrade.txt", lang, found=found, folder=folder, **given)


def _cells(change: PointsChange, learner: str, lang: Lang) -> tuple[str, ...]:
    (before, out_of), (now, possible) = change.before, change.after
    question = Message("total").of(lang) if change.question is None else change.question
    old = words.OF.fill(earned=points(before), possible=points(out_of)).of(lang)
    new = words.OF.fill(earned=points(now), possible=points(possible)).of(lang)
    moved = points(now - before)
    return learner, question, old, new, moved if moved.startswith("-") or moved == "0" else f"+{moved}"


@dataclass(frozen=True, slots=True)
class RefusedJson:
    """A submission that could not be graded.

    - `submission`: its key in the gradebook
    - `error`: why, in English
    """

    submission: str
    error: str


@dataclass(frozen=True, slots=True)
class RegradeJson:
    """What grading again changes.

    - `format`: 1
    - `out`: the results folder
    - `questions`: those that have changed since they were graded
    - `graded`: how many submissions were graded again
    - `differences`: changes of points
    - `refused`: submissions that could not be graded
    - `layers`: what confined the code
    - `written`: whether the result was saved
    """

    format: int
    out: Path
    questions: tuple[str, ...]
    graded: int
    differences: tuple[PointsChange, ...]
    refused: tuple[RefusedJson, ...]
    layers: tuple[str, ...]
    written: bool


def as_data(result: RegradeResult, folder: Path, written: bool) -> RegradeJson:
    """The result as data for ``serialize.to_json``; ``written`` says whether it was saved."""
    refused = tuple(RefusedJson(clean(key), clean(why.en, 2000, lines=True)) for key, why in result.refused)
    return RegradeJson(1, folder, result.questions, result.submissions, result.changes, refused, result.layers, written)

"""Reports and marks from a gradebook, for result files, exports and statistics."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.classroom.gradebook import Gradebook, LearnerRow, Override, SubmissionRow
from grader.classroom.marks import CoursePart, GradedSubmission, Mark, Marking, marks
from grader.classroom.words import CHECK_BROKE, NOT_ALL_READ, NOTHING_THERE, OTHER_NAME, SAID_LATE
from grader.core.cache import cached_by_identity
from grader.core.errors import UsageError
from grader.core.files import TEMPORARY_PREFIX, portable, readable_json, write
from grader.core.model import Course, Lang, Message, Notice, QuestionResult, Report, Status, Text
from grader.core.serialize import picked
from grader.core.text import clean
from grader.course import items
from grader.report.json import number, to_json
from grader.submission.messages import listing

CLASS = "class.csv"
#: Facts that a batch saves: the questions that were named, and whether it writes a file for each submission.
ASKED, FILES = "asked", "files"
#: Where a spreadsheet would take the text of a cell for a formula.
_FORMULA = re.compile(r"((?:^|;)[\s\"']*)(?=[=+\-@＝＋－＠])")
#: The note on a late submission without a timestamp.
LATE = SAID_LATE.en
#: The start of a result file; no other file in the folder starts like this.
_BEGINNING = b'{\n "format": 1,\n "learner": '


@dataclass(frozen=True, slots=True)
class Book:
    """An open gradebook with its course, and the versions and points of questions in the last grading."""

    gradebook: Gradebook
    course: Course
    versions: Mapping[str, str]
    points: Mapping[str, float]

    @classmethod
    def of(cls, gradebook: Gradebook, course: Course) -> Book:
        """``gradebook`` with the versions and points of its last batch."""
        return cls(gradebook, course, gradebook.table("versions", str), gradebook.table("questions", float))

    def work(self, row: SubmissionRow) -> GradedSubmission:
        """A submission with its results, in the order of the questions."""
        return GradedSubmission(row, self.gradebook.units(row, self.versions))

    def marking(self) -> Marking:
        """How the class is marked."""
        return Marking(self.points, self.course.rules, parts(self.course))

    def learners(self) -> Sequence[LearnerRow]:
        """All learners, in the order of ``marks``: by id."""
        return self.gradebook.learners()

    def marks(self) -> Iterator[Mark]:
        """The marks of all learners, in the order of ``learners``."""
        overrides: dict[str, list[Override]] = {}
        for change in self.gradebook.overrides():
            overrides.setdefault(change.learner, []).append(change)
        by_learner: dict[str, list[SubmissionRow]] = {}
        for row in self.gradebook.submissions():
            for name in row.learners:
                by_learner.setdefault(name, []).append(row)
        marking = self.marking()
        for learner in self.learners():
            works = [self.work(row) for row in by_learner.get(learner.id, ())]
            yield from marks(learner, works, marking, overrides.get(learner.id, ()))

    def marks_of(self, learner: LearnerRow) -> tuple[Mark, ...]:
        """The marks of one learner, without reading the rest of the class."""
        works = [self.work(row) for row in self.gradebook.submissions_of(learner.id)]
        return marks(learner, works, self.marking(), self.gradebook.overrides())

    def unmatched(self) -> Iterator[Mark]:
        """Marks for submissions that belong to nobody in the class, under the names from the collection."""
        marking = Marking(self.points, self.course.rules)
        for row in self.gradebook.submissions():
            if not row.learners:
                yield from marks(LearnerRow(row.key, row.seed_name), [self.work(row)], marking)

    def notices(self, mark: Mark) -> tuple[Notice, ...]:
        """The notices about the submission of a mark."""
        return self.gradebook.notices(mark.work.row) if mark.work is not None else ()

    def report(self, mark: Mark) -> Report | None:
        """The report on the submission of a mark; None if nothing was graded.

        After a change of the bank, its questions may come from different runs. Course, seed, versions and seconds are
        then those of the latest run, and ``layers`` those that all runs had; ``provenance`` has the details.

        It includes the questions that the batch named, and those with something submitted or an override; the others
        are ``not_attempted``.
        """
        if mark.work is None or not mark.work.results:
            return None
        results = mark.work.results
        runs = [run for _, run in results]
        run = max(runs, key=lambda other: other.at)
        given = {change.part for change in mark.overridden}
        asked = set(self.gradebook.fact(ASKED, tuple[str, ...]) or ())
        left = [result for result, _ in results if not (result.id in asked or _is_attempted(result, given))]
        unlisted = {result.id for result in left}
        return Report(
            learner=mark.learner.id,
            course_title=self.course.title,
            course_digest=run.course,
            seed=run.seed,
            questions=tuple(result for result, _ in results if result.id not in unlisted),
            layers=tuple(layer for layer in run.layers if all(layer in other.layers for other in runs)),
            unsafe=any(other.unsafe for other in runs),
            versions=run.versions,
            seconds=run.seconds,
            notices=self.notices(mark),
            late_by_seconds=mark.late_seconds or None,
            not_attempted=tuple(result.id for result in left),
            unlisted=sum(result.possible for result in left),
        )


def _is_attempted(result: QuestionResult, given: Container[str]) -> bool:
    """Whether anything was submitted for a question, or has an override in ``given``."""
    return any(part.status is not Status.MISSING or part.name in given for part in result.parts)


def parts(course: Course) -> dict[str, CoursePart]:
    """The graded items and exercises of a course, by name."""
    course_parts = [CoursePart(i.id, q.id, i.points) for q in course.questions for i in q.items if i.use == "graded"]
    course_parts += [CoursePart(e.name, q.id, e.points) for q in course.questions for e in q.exercises]
    return {part.name: part for part in course_parts}


def provenance(work: GradedSubmission) -> dict[str, dict[str, object]]:
    """How each question of a submission was graded."""
    return {
        result.id: {
            "course": run.course,
            "seed": run.seed,
            "versions": dict(run.versions),
            "layers": list(run.layers),
            "unsafe": run.unsafe,
        }
        for result, run in work.results
    }


def unread_items(mark: Mark) -> tuple[str, ...]:
    """The items whose answers could not be read and have no override."""
    return tuple(name for name, unread in _waiting(mark) if unread)


def count_pending(mark: Mark) -> int:
    """The number of answers that still have to be graded by hand, also because they could not be read."""
    return len(_waiting(mark))


def _waiting(mark: Mark) -> list[tuple[str, bool]]:
    """The items that wait for a person and have no override, and whether that is because they could not be read."""
    done = {change.part for change in mark.overridden}
    results = mark.work.results if mark.work is not None else ()
    return [(name, unread) for result, _ in results for name, unread in _pending(result) if name not in done]


@cached_by_identity(4096)
def _pending(result: QuestionResult) -> tuple[tuple[str, bool], ...]:
    return tuple((item.id, item.unread) for item in result.items if item.unread or item.status is Status.PENDING)


def notes(mark: Mark, notices: Sequence[Notice] = ()) -> tuple[str, ...]:
    """What an instructor should look at: lateness without a timestamp, stopped code, and checks that failed.

    Also another name in answers.yaml than the one that numbers were drawn for, and files that were not read in full
    according to ``notices``, and may deserve more points.
    """
    row = mark.work.row if mark.work else None
    late = (LATE,) if row is not None and row.late and row.at is None else ()
    trouble = [_trouble(result) for result, _ in (mark.work.results if mark.work else ())]
    stopped = [name for names, _ in trouble for name in names]
    broken = [where for _, places in trouble for where in places]
    unread = list(dict.fromkeys(notice.where for notice in notices if notice.urgent))
    not_read = [f"{NOT_ALL_READ.en}: {listing(unread, 3).en}"] if unread else []
    named = [OTHER_NAME.en] if row is not None and has_other_name(row) else []
    return (*late, *not_read, *named, *stopped, *(f"{where}: {CHECK_BROKE.en}" for where in broken))


def has_other_name(row: SubmissionRow) -> bool:
    """Whether answers.yaml names somebody else than numbers were drawn for, which can only be so with a roster."""
    return bool(row.signed and row.seed_name) and not items.same_numbers(row.signed or "", row.seed_name)


@cached_by_identity(4096)
def _trouble(result: QuestionResult) -> tuple[list[str], list[str]]:
    """The exercises that were stopped or not graded, with their status, and the checks that failed internally."""
    loud = (Status.TIMED_OUT, Status.DIED, Status.UNMARKED)
    stopped = [f"{exercise.name}: {exercise.status}" for exercise in result.exercises if exercise.status in loud]
    pairs = ((exercise, outcome) for exercise in result.exercises for outcome in exercise.outcomes)
    return stopped, [f"{exercise.name}/{o.check}/{o.case}" for exercise, o in pairs if o.verdict.broken]


# ------------------------------------------------------------------------------------------- files


@dataclass(frozen=True, slots=True)
class MarkSummary:
    """A mark without its ``work``, small enough to keep for a large class; ``submitted`` is false if it had none.

    ``file`` is the JSON file with the results, if one was written. ``unread`` are the items whose answers could not be
    read, without those that have an override; ``pending`` is how many answers have to be graded by hand, with these.
    """

    mark: Mark
    notes: tuple[str, ...] = ()
    file: str | None = None
    error: Text | None = None
    submitted: bool = True
    unread: tuple[str, ...] = ()
    pending: int = 0


def write_files(book: Book, out: Path, lang: Lang) -> list[MarkSummary]:
    """Write class.csv and, if the batch had ``--files``, a JSON file for each submission; delete outdated files.

    The caller holds the lock on the folder. Raises UsageError if something cannot be written.
    """
    asked = book.gradebook.recall(FILES) is True
    names: dict[str, str] = {}
    rows = []
    try:
        for mark in itertools.chain(book.marks(), book.unmatched()):
            file = None
            if asked and mark.work is not None:
                file = f"{portable(mark.learner.id, names)}.json"
                write(out / file, report_file(book, mark, lang))
            rows.append(_row(book, mark, file))
        write(out / CLASS, class_csv(rows, list(book.points)))
        _tidy(out, {row.file for row in rows})
    except OSError as error:
        said = Message(
            "the files in {out} cannot be written ({reason}), but the gradebook is complete: free some space, or "
            "make the folder writable."
        ).with_advice(Message("Then run the same command again (regrade with --yes)."))
        raise UsageError(said.fill(out=out, reason=error.strerror)) from error
    return rows


def _tidy(out: Path, current: Container[str | None]) -> None:
    """Delete result files of learners who left the class or were renamed, and temporary files of killed processes.

    While the lock is held, no other process writes here.
    """
    for path in temporary_files(out):
        path.unlink()
    for path in out.glob("*.json"):
        if path.name not in current and _begins(path) == _BEGINNING:
            path.unlink()


def temporary_files(out: Path) -> Iterator[Path]:
    """Temporary files in a results folder, left behind by a process that was killed."""
    return out.glob(f"{TEMPORARY_PREFIX}*")


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_BEGINNING))


def _row(book: Book, mark: Mark, file: str | None) -> MarkSummary:
    error = mark.work.row.error if mark.work else None
    said, unread = notes(mark, book.notices(mark)), unread_items(mark)
    return MarkSummary(replace(mark, work=None), said, file, error, mark.work is not None, unread, count_pending(mark))


def report_file(book: Book, mark: Mark, lang: Lang) -> str:
    """The text of the JSON file for the submission of a mark."""
    return readable_json(mark_json(book, mark, lang)) + "\n"


def mark_json(book: Book, mark: Mark, lang: Lang) -> dict[str, object]:
    """The report of a mark in the format of ``grade --json``, with deductions and overrides.

    If nothing was graded, the fields of the report are missing.
    """
    assert mark.work is not None
    row = mark.work.row
    report = book.report(mark)
    data: dict[str, object] = to_json(report, lang) if report else {"format": 1, "learner": mark.learner.id}
    return data | {
        **picked(mark, "earned", "possible", "complete"),
        "late_by_seconds": number(mark.late_seconds) if mark.late_seconds else None,
        "submission": row.key,
        "attempt": row.attempt,
        **picked(mark, "counts", "factor"),
        "overrides": [picked(change, "part", "points", "reason", "author", "at") for change in mark.overridden],
        "error": None if row.error is None else row.error.of(lang),
        "provenance": provenance(mark.work),
    }


def class_csv(rows: Sequence[MarkSummary], questions: Sequence[str]) -> str:
    """The class as CSV: one row for each mark that counts, and one column for each question."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    facts = ["factor", "complete", "error", "notes", "unread"]
    writer.writerow(["learner", "name", "section", "earned", "possible", *questions, *facts])
    for row in rows:
        mark, learner = row.mark, row.mark.learner
        if mark.counts:
            error = row.error.en if row.error else "" if row.submitted else NOTHING_THERE.en
            numbers = [mark.earned, mark.possible, *(earned for _, earned, _ in mark.questions), mark.factor]
            words = [learner.id, learner.name, learner.section]
            rest = ["yes" if mark.complete else "no", error, "; ".join(row.notes), "; ".join(row.unread)]
            writer.writerow([*map(csv_cell, words), *(f"{value:g}" for value in numbers), *map(csv_cell, rest)])
    return text.getvalue()


def csv_cell(text: str) -> str:
    """Untrusted text as a CSV cell: printable, on one line, and never a formula, not even with full-width signs.

    This also holds for text after a semicolon, where some spreadsheets split cells.
    """
    return _FORMULA.sub(r"\1'", " ".join(clean(text, 2000).split()))

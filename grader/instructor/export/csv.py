"""A row for each learner; with --checks, a row for each item and check, with what decided it.

## What it writes

A CSV file in UTF-8. Points are those that count: with overrides, and after deductions for lateness and attempts.
Cells that a spreadsheet could take for a formula, even after a semicolon, are prefixed with an apostrophe.

## Options

- `--learner`: only this learner.
- `--pseudonyms`: pseudonyms in place of names.
- `--checks`: a row for each item and each check, with what decided it: version of the course, seed, sandbox, time.
- `--bom`: starts with a byte-order mark, which Excel needs to recognise UTF-8.

## How to use it

```
attncheck export csv --from results --to class.csv
```
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime

from grader.classroom.marks import Mark
from grader.classroom.results import Book, count_pending, csv_cell, notes
from grader.classroom.words import NOTHING_THERE
from grader.core.model import ExerciseResult, ItemResult, Lang, Message, Status, Text
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.export._pseudonyms import NO_TIME
from grader.instructor.mark_reports import error_message, marks_that_count
from grader.report.json import number

ABOUT = Message("A row for each learner; with --checks, a row for each item and check, with what decided it.")
ON_PAGE = Message("A table with a row for each learner.")
SOURCE = "gradebook"
OPTIONS = frozenset({"learner", "pseudonyms", "checks", "bom"})

_LEARNER = ("learner", "name", "section", "submission", "attempt")
_CHECK = (
    "learner", "submission", "attempt", "counts", "question", "part", "kind", "check", "case", "visibility", "status",
    "earned", "possible", "misconception", "message", "course", "seed", "versions", "sandbox", "graded",
)  # fmt: skip


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write CSV in UTF-8 with the line ends of RFC 4180; with ``bom``, after a byte-order mark, for Excel."""
    rows = _checks(book, options) if options.checks else _learners(book, options)
    out.write_file(_encoded(rows, options.bom))


def _encoded(rows: Iterator[list[object]], bom: bool) -> Iterator[bytes]:
    """Encode the rows. Texts are quoted, so that each stays one cell even if ; is the separator."""
    if bom:
        yield b"\xef\xbb\xbf"
    for row in rows:
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_NONNUMERIC).writerow(row)
        yield line.getvalue().encode()


def _learners(book: Book, options: ExportOptions) -> Iterator[list[object]]:
    questions = list(book.points)
    yield [*_LEARNER, "earned", "possible", *questions, "factor", "hours_late", "complete", "waiting", "notes"]
    for mark in marks_that_count(book, options.learner):
        row = mark.work.row if mark.work else None
        said = error_message(mark) or ("; ".join(notes(mark, book.notices(mark))) if row else NOTHING_THERE.en)
        yield [
            *map(csv_cell, (mark.learner.id, mark.learner.name, mark.learner.section, row.key if row else "")),
            row.attempt if row else 0,
            *map(number, (mark.earned, mark.possible, *(earned for _, earned, _ in mark.questions), mark.factor)),
            number(round(mark.late_seconds / 3600, 2)),
            "yes" if mark.complete else "no",
            count_pending(mark),
            csv_cell(said),
        ]


def _checks(book: Book, options: ExportOptions) -> Iterator[list[object]]:
    yield list(_CHECK)
    if options.learner is not None:
        list(marks_that_count(book, options.learner))  # raises UsageError for an unknown learner
    for mark in book.marks():
        if options.learner not in (None, mark.learner.id):
            continue
        row = mark.work.row if mark.work else None
        handed_in = [csv_cell(row.key), row.attempt] if row else ["", 0]
        begin = [csv_cell(mark.learner.id), *handed_in, "yes" if mark.counts else "no"]
        for result, run in mark.work.results if mark.work else ():
            layers = "none" if run.unsafe else " ".join(run.layers)
            versions = " ".join(f"{name}={version}" for name, version in run.versions)
            made = [run.course, run.seed, versions, layers, _time(run.at)]
            for item in result.items:
                yield [*begin, result.id, *_item(item, options.lang), *map(csv_cell, made)]
            for exercise in result.exercises:
                for line in _exercise(exercise, options.lang):
                    yield [*begin, result.id, *line, *map(csv_cell, made)]
        yield from _given(mark, begin)


def _given(mark: Mark, begin: list[object]) -> Iterator[list[object]]:
    """A row for each override; it replaces the points in the other rows of its part."""
    for change in mark.overridden:
        said = csv_cell(f"{change.author}: {change.reason}".strip(": "))
        question = change.part.partition(".")[0] if "." in change.part else ""
        verdict = ["override", "", "", "", "given", number(change.points), "", "", said]
        yield [*begin, question, csv_cell(change.part), *verdict, "", "", "", "", _time(change.at)]


def _time(at: datetime) -> str:
    return "" if at == NO_TIME else at.isoformat(timespec="seconds")


def _item(item: ItemResult, lang: Lang) -> list[object]:
    status = "unread" if item.unread else item.status.value
    return [
        item.id, item.kind, "", "", "", status, number(item.earned), number(item.possible),
        item.misconception or "", _said(item.message, lang),
    ]  # fmt: skip


def _exercise(exercise: ExerciseResult, lang: Lang) -> Iterator[list[object]]:
    """A row for each check, or one row for the exercise if nothing was checked."""
    for outcome in exercise.outcomes:
        verdict = outcome.verdict
        status = outcome.status.value if verdict.applies else Status.SKIPPED.value
        yield [
            exercise.name, "exercise", outcome.check, outcome.case, outcome.visibility, status, number(outcome.earned),
            number(outcome.possible), verdict.misconception or "", _said(verdict.message, lang),
        ]  # fmt: skip
    if not exercise.outcomes:
        yield [
            exercise.name, "exercise", "", "", "", exercise.status.value, number(exercise.earned),
            number(exercise.possible), exercise.misconception or "", _said(exercise.message, lang),
        ]  # fmt: skip


def _said(message: Text | None, lang: Lang) -> str:
    return "" if message is None else csv_cell(message.of(lang))

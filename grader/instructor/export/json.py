"""The whole gradebook; equal grading gives equal bytes.

## What it writes

One file, with reports in the format of [json.md](json.md). Times, durations and paths are left out, so equal grading
gives equal bytes, on any day and in any folder, with or without interruptions. Submissions that belong to nobody in the
class are included. So are hidden cases, whatever `hidden_results` says: the file is for instructors.

## Options

- `--learner`: only this learner.
- `--pseudonyms`: pseudonyms in place of names.

## How to use it

For programs, for archives, and for comparing two gradings.

```
attncheck export json --from results --to class.json
```
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from grader.classroom.marks import Mark
from grader.classroom.results import Book, mark_json
from grader.core.files import readable_json
from grader.core.model import Lang, Message
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.mark_reports import error_message, marks_that_count
from grader.report.json import number

ABOUT = Message("The whole gradebook; equal grading gives equal bytes.")
ON_PAGE = Message("The whole gradebook, for programs.")
SOURCE = "gradebook"
OPTIONS = frozenset({"learner", "pseudonyms"})


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write one document, learner by learner."""
    if options.learner is not None:
        list(marks_that_count(book, options.learner))  # raises UsageError for an unknown learner
    out.write_file(chunk.encode() for chunk in _document(book, options))


def _document(book: Book, options: ExportOptions) -> Iterator[str]:
    head = {
        "format": 1,
        "course": {"title": book.course.title.of(options.lang), "public_id": book.course.public_id},
        "questions": {name: number(points) for name, points in book.points.items()},
    }
    yield readable_json(head)[:-2] + ',\n "marks": ['
    chosen = (mark for mark in book.marks() if options.learner in (None, mark.learner.id))
    yield from _listed(book, chosen, options.lang)
    yield '\n ],\n "unmatched": ['
    yield from _listed(book, book.unmatched() if options.learner is None else (), options.lang)
    yield "\n ]\n}\n"


def _listed(book: Book, marks: Iterable[Mark], lang: Lang) -> Iterator[str]:
    for at, mark in enumerate(marks):
        yield (",\n" if at else "\n") + readable_json(_mark(book, mark, lang))


def _answers(found: Mapping[str, object]) -> dict[str, object]:
    """The answers by item id. Values that JSON lacks, such as NaN, become text."""
    ordered: dict[str, object] = json.loads(json.dumps(dict(sorted(found.items()))), parse_constant=str)
    return ordered


def _mark(book: Book, mark: Mark, lang: Lang) -> dict[str, object]:
    """A mark with its report, if there is one, and how the points of each question were computed."""
    data: dict[str, object] = {
        "learner": mark.learner.id,
        "name": mark.learner.name,
        "section": mark.learner.section,
        "extra_hours": number(mark.learner.extra_hours),
        "earned": number(mark.earned),
        "possible": number(mark.possible),
        "points": [
            {"id": name, "earned": number(earned), "possible": number(possible)}
            for name, earned, possible in mark.questions
        ],
        "factor": number(mark.factor),
        "complete": mark.complete,
        "passed": mark.passed,
        "counts": mark.counts,
    }
    given = [
        {"part": each.part, "points": number(each.points), "reason": each.reason, "author": each.author}
        for each in mark.overridden
    ]
    if mark.work is None:
        return data | {"submission": None, "overrides": given}
    row = mark.work.row
    report = mark_json(book, mark, lang)
    for key in ("format", "learner", "seconds", "seed", "course", "sandbox", "attncheck", "torch"):
        report.pop(key, None)
    more = {
        "submission": row.key,
        "attempt": row.attempt,
        "learners": list(row.learners),
        "digest": row.digest,
        "error": error_message(mark, lang),
        "overrides": given,
        "answers": _answers(book.gradebook.answers(row)),
    }
    return data | report | more

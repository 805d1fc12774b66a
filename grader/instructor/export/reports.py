"""A folder with a JSON report for each submission, or one report with --learner.

## What it writes

A folder with `LEARNER.json` for each submission, in the format of [json.md](json.md#batches): the report, the points
that count, and how they were computed. Further attempts of a learner get a number, and submissions that belong to
nobody in the class are included. With `--learner` it is one file, for the attempt that counts. Hidden cases are
included whatever `hidden_results` says: the files are for instructors.

## Options

- `--learner`: one file, for this learner.

## How to use it

For programs that read one learner at a time; `export json` writes the whole class as one document.

```
attncheck export reports --from results --to reports
```
"""

from __future__ import annotations

import itertools

from grader.classroom.results import Book, report_file
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import clean
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.mark_reports import mark_of

ABOUT = Message("A folder with a JSON report for each submission, or one report with --learner.")
ON_PAGE = Message("A JSON report for each submission.")
SOURCE = "gradebook"
OPTIONS = frozenset({"learner"})


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write one file per submission, or only that of ``learner``."""
    if options.learner is not None:
        mark = mark_of(book, options.learner)
        if mark.work is None:
            said = Message("{learner} has not submitted anything, so there is no report.")
            raise UsageError(said.fill(learner=clean(options.learner)))
        out.write_file([report_file(book, mark, options.lang).encode()])
        return
    for mark in itertools.chain(book.marks(), book.unmatched()):
        if mark.work is not None:
            out.add_file_of(mark.learner.id, ".json", report_file(book, mark, options.lang).encode())

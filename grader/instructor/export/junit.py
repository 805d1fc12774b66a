"""JUnit XML: a folder with a document for each learner, or one with --learner.

## What it writes

A folder with a document for each learner, or one document with `--learner`. Until `hidden_results` allows
more, they have only public cases and their points; with `never`, only hidden cases are left out.

## Options

- `--learner`: writes one file, for this learner, instead of a folder.
- `--pseudonyms`: pseudonyms in place of names.

## How to use it

For CI servers and other programs that read test results.

```
attncheck export junit --from results --to junit
```
"""

from __future__ import annotations

from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.text import clean
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.mark_reports import learner_report, mark_of, marks_that_count
from grader.report.junit import to_junit

ABOUT = Message("JUnit XML: a folder with a document for each learner, or one with --learner.")
ON_PAGE = Message("A JUnit XML file for each learner.")
SOURCE = "gradebook"
OPTIONS = frozenset({"learner", "pseudonyms"})


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write one document per learner whose work could be graded, or only that of ``learner``."""
    if options.learner is not None:
        report = learner_report(book, mark_of(book, options.learner), options.now)
        if report is None:
            said = Message("No submission of {learner} could be graded, so there is nothing to export.")
            raise UsageError(said.fill(learner=clean(options.learner)))
        out.write_file([to_junit(report, options.lang).encode()])
        return
    for mark in marks_that_count(book):
        report = learner_report(book, mark, options.now)
        if report is not None:
            out.add_file_of(mark.learner.id, ".xml", to_junit(report, options.lang).encode())

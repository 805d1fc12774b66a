"""A folder of pages: an index of the class, and one for each learner, or one page with --learner.

## What it writes

A folder with `index.html` and a self-contained page for each learner, which can be sent by mail. The index has the
points of every question, who was late, and what still has to be graded by hand. Click a heading to sort, or search for
a learner; this uses `table.js` in the same folder, and the index is complete without it. The learners' pages contain no
scripts and forbid them. They have only public cases and their points until `hidden_results` allows more; with `never`,
only hidden cases are left out, and the page says how many points they are worth. The index is for you and has all
points. With `--learner`, the export is that learner's page as one file.

## Options

- `--learner`: one page, for this learner.
- `--pseudonyms`: pseudonyms in place of names.

## How to use it

```
attncheck export html --from results --to pages
```
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from grader.classroom.marks import Mark
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Message, Text
from grader.core.text import clean, points
from grader.course import items
from grader.instructor import class_table
from grader.instructor.class_table import ClassRow
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.mark_reports import learner_report, mark_of, marks_that_count

ABOUT = Message("A folder of pages: an index of the class, and one for each learner, or one page with --learner.")
ON_PAGE = Message("A page for each learner, and an index of the class.")
SOURCE = "gradebook"
OPTIONS = frozenset({"learner", "pseudonyms"})

_TEMPLATES = Path(__file__).parent / "templates"
_SHARED = Path(class_table.__file__).parent / "templates"
_SCRIPT = "table.js"
#: The most bytes of sections that later pages may have, too.
_MOST_KEPT = 8 << 20


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write the pages, and then the index, which therefore never links to a missing page."""
    pages = LearnerPages(book, options.lang, options.now)
    if options.learner is not None:
        made = pages.of(mark_of(book, options.learner))
        if made is None:
            said = Message("Nothing that {learner} submitted could be graded, so there is no page.")
            raise UsageError(said.fill(learner=clean(options.learner)))
        out.write_file([made.encode()])
        return
    files: list[str | None] = []
    marks = []
    for mark in marks_that_count(book):
        made = pages.of(mark)
        marks.append(mark)
        files.append(None if made is None else out.add_file_of(mark.learner.id, ".html", made.encode()))
    out.add_file(_SCRIPT, (_TEMPLATES / _SCRIPT).read_bytes())
    out.add_file("index.html", _index(book, class_table.numbered(marks), files, options.lang).encode())


class LearnerPages:
    """Renders the pages of learners as they may see them at ``now`` (default: the current time)."""

    def __init__(self, book: Book, lang: Lang, now: datetime | None = None) -> None:
        from grader.report.html import SectionCache  # loads jinja2, numpy

        self._book, self._lang, self._now = book, lang, now
        self._drawn = book.course, SectionCache(_MOST_KEPT)
        self._undrawn = _without_drawn(book.course), SectionCache(_MOST_KEPT)

    def of(self, mark: Mark) -> str | None:
        """The page of a mark; None if nothing was graded."""
        from grader.report.html import PageLearner, render  # loads jinja2, numpy

        report = learner_report(self._book, mark, self._now)
        if report is None or mark.work is None:
            return None
        draws = mark.work.row.seed_name
        course, sections = self._drawn if draws else self._undrawn
        whose = PageLearner(mark.learner.name or mark.learner.id, draws)
        return render(report, course, self._lang, whose=whose, sections=sections)


def _without_drawn(course: Course) -> Course:
    """The course without items whose numbers depend on the learner's name, which must not be revealed."""
    questions = tuple(
        replace(question, items=tuple(item for item in question.items if not items.draw_choices(item.spec)))
        for question in course.questions
    )
    return replace(course, questions=questions)


def _index(book: Book, rows: tuple[ClassRow, ...], files: list[str | None], lang: Lang) -> str:
    from grader.report.html import self_contained, sheet  # loads jinja2, numpy

    return self_contained(
        "index.html",
        sheet(_TEMPLATES / "index.css", _SHARED / "class_table.css"),
        _TEMPLATES,
        _SHARED,
        scripts=True,
        course=book.course,
        title=Message("Results of the class"),
        lang=book.course.language(lang),
        summary=summary(book, rows),
        titles=class_table.titles(),
        questions=list(book.points),
        sections=any(row.section for row in rows),
        rows=rows,
        files={(row.id, row.number): quote(file) for row, file in zip(rows, files, strict=True) if file},
    )


def summary(book: Book, rows: tuple[ClassRow, ...]) -> Text:
    """A sentence with the number of learners who submitted, and the mean of their points."""
    earned = [row.earned for row in rows if row.submitted]
    if not earned:
        return Message("Nobody has submitted anything.")
    mean, possible = sum(earned) / len(earned), sum(book.points.values())
    said = Message("{handed} of {all} learners submitted; mean {mean} of {possible} points.")
    return said.fill(handed=len(earned), all=len(rows), mean=points(mean), possible=points(possible))

"""A folder of pages: an index of the class, and one for each learner.

## What it writes

A folder with `index.html` and a page for each learner, which loads nothing else and can be mailed by itself. Pages
hold no script and forbid any. Until `hidden_results` allows it, hidden cases are left out, and the page says how many
points they decide.

## Options

- `--pseudonyms`: pseudonyms in place of names.

## How to use it

```
attncheck export html --from results --to pages
```
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from grader.classroom.export import Options
from grader.classroom.export._marks import (
    error,
    has_points,
    marks_that_count,
    report_with_overrides,
    visible_report,
    waiting,
)
from grader.classroom.export._target import ExportTarget
from grader.classroom.marks import Mark
from grader.classroom.results import Book, file_name
from grader.classroom.words import GRADED, NOTHING_THERE, PARTLY, WHOLE
from grader.core.model import Course, Lang, Text
from grader.core.text import SEMICOLON, clean, duration, points
from grader.course import items
from grader.report import words

OF = "gradebook"
OPTIONS = frozenset({"pseudonyms"})

_TEMPLATES = Path(__file__).parent / "templates"
_TITLES = {
    "learner": Text("Learner", "学习者"),
    "section": Text("Section", "班级"),
    "points": Text("Points", "得分"),
    "status": Text("Status", "状态"),
    "summary": Text(
        "{handed} of {all} learners submitted; mean {mean} of {possible} points.",
        "{all} 人中有 {handed} 人提交；平均 {mean} / {possible} 分。",
    ),
    "nobody": Text("Nobody has submitted anything.", "没有人提交。"),
    "given": Text("includes points given by the instructor", "有教师给分"),
    "waiting": Text("answers to grade by hand: {count}", "{count} 个答案等待人工批改"),
}


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A row of the index. ``file`` is the URL of the learner's page, if there is one."""

    id: str
    name: str
    section: str
    earned: str
    possible: str
    status: str
    file: str | None


def write(book: Book, options: Options, out: ExportTarget) -> None:
    """Write the pages first, so that the index never links to a missing one."""
    from grader.report.html import Sections, render  # loads jinja2, numpy

    taken: dict[str, str] = {}
    drawn, undrawn = (book.course, Sections()), (_without_drawn(book.course), Sections())
    rows, earned = [], []
    for mark in marks_that_count(book):
        report, file = report_with_overrides(book, mark), None
        if report is not None:
            file = f"{file_name(mark.learner.id, taken)}.html"
            report = visible_report(report, mark, book.course.rules, options.now)
            assert mark.work is not None
            draws = mark.work.filed.seed_name
            course, sections = drawn if draws else undrawn
            out.add_file(file, render(report, course, options.lang, drawn_for=draws, sections=sections).encode())
        if mark.work is not None:
            earned.append(mark.earned)
        rows.append(_row(mark, file, options.lang))
    out.add_file("index.html", _index(book, rows, earned, options.lang).encode())


def _without_drawn(course: Course) -> Course:
    """The course without items whose numbers depend on a learner's name, which must stay unknown."""
    questions = tuple(
        replace(question, items=tuple(item for item in question.items if not items.draw_choices(item.spec)))
        for question in course.questions
    )
    return replace(course, questions=questions)


def _row(mark: Mark, file: str | None, lang: Lang) -> IndexRow:
    return IndexRow(
        clean(mark.learner.id),
        "" if mark.learner.name == mark.learner.id else clean(mark.learner.name),
        clean(mark.learner.section, 40),
        points(mark.earned) if has_points(mark) else "–",
        points(mark.possible),
        _status(mark, lang),
        quote(file) if file else None,
    )


def _status(mark: Mark, lang: Lang) -> str:
    by_hand = [_TITLES["given"].of(lang)] if mark.overridden else []
    if mark.work is None:
        return SEMICOLON.of(lang).join([NOTHING_THERE.of(lang), *by_hand])
    said = error(mark, lang)
    if said is not None:
        return SEMICOLON.of(lang).join([clean(said, 300), *by_hand])
    status = WHOLE if mark.passed else GRADED if mark.complete else PARTLY
    found = [status]
    if mark.late_seconds:
        found.append(words.LATE.fill(time=duration(mark.late_seconds)))
    if count := waiting(mark):
        found.append(_TITLES["waiting"].fill(count=count))
    return SEMICOLON.of(lang).join(text.of(lang) for text in found)


def _index(book: Book, rows: list[IndexRow], earned: list[float], lang: Lang) -> str:
    import jinja2  # loads jinja2

    from grader.report.html import policy, visible  # loads jinja2, numpy

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else visible(value),
    )
    style = (_TEMPLATES / "index.css").read_text(encoding="utf-8")
    said = _TITLES["nobody"]
    if earned:
        mean = points(sum(earned) / len(earned))
        possible = points(sum(book.points.values()))
        said = _TITLES["summary"].fill(handed=len(earned), all=len(rows), mean=mean, possible=possible)
    page = environment.get_template("index.html").render(
        title=book.course.title.of(lang),
        lang="zh-Hans" if lang == "zh" else "en",
        summary=said.of(lang),
        headings={name: text.of(lang) for name, text in _TITLES.items()},
        sections=any(row.section for row in rows),
        rows=rows,
        style=Markup(style),
        policy=policy(style),
    )
    return page + "\n"

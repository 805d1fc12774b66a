"""A zip with each learner's report, which Canvas attaches to their submission as a comment.

## What it writes

A zip with one text file for each learner: the report as `grade` prints it, every line as a comment. Canvas files it by
the numbers in its name, so each file is called exactly as one of the learner's files in the zip that was downloaded and
graded, `doejane_1234_5678_q05.py` for example, and Canvas shows it under that file's name. Until `hidden_results`
allows it, hidden cases are left out.

Learners are found as in the export `canvas`; nothing is guessed. Who is only in the zip or only in the gradebook is
listed, and so are submissions without a file that Canvas could attach something to.

## Options

- `--template`: the zip from *Download Submissions* of the assignment, as it was downloaded (default: the one that was
  graded).
- `--roster`: numbers and addresses of learners; needed for groups.

## How to use it

In Canvas, open the assignment, choose *Download Submissions*, and later *Upload Submissions* with the zip made here.
Uploading it again adds another comment.

```
attncheck export canvas-feedback --from results --to feedback.zip
```
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from grader.classroom.export import ExportOptions
from grader.classroom.export import _class_list as class_list
from grader.classroom.export._target import ExportTarget
from grader.classroom.intake import Person, canvas
from grader.classroom.mark_reports import marks_that_count, report_with_overrides, visible_report
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Report, Text
from grader.core.text import clean, name_list

SOURCE = "gradebook"
OPTIONS = frozenset({"template", "roster"})

#: More names than any class hands in.
_MOST_FILES = 200_000
_WIDTH = 96
#: Every entry has this time, so that the same gradebook makes the same zip.
_TIME = (1980, 1, 1, 0, 0, 0)
#: Which of a learner's files gives its name: those that people open as text.
_PREFERRED = (".py", ".yaml", ".yml", ".txt", "")
_NO_TEMPLATE = Text(
    "What was graded is no longer there: name the zip that you downloaded with Download Submissions (--template).",
    "当初评分的内容已不在原处：请给出用 Download Submissions 下载的 zip（--template）。",
)
_NO_ZIP = Text(
    "{path} is not a zip of submissions from Canvas ({reason}).", "{path} 不是从 Canvas 下载的提交 zip（{reason}）。"
)
_NO_FILES = Text(
    "no file in it is named as Canvas names them: doejane_1234_5678_q05.py",
    "其中没有文件像 Canvas 那样命名：doejane_1234_5678_q05.py",
)
_UNKNOWN = Text("In the zip, but not found in the gradebook: {names}", "zip 里有，但成绩册里没有找到：{names}")
_DOUBTFUL = Text("Left out, because more than one learner could be meant: {names}", "无法确定是谁，未写入：{names}")
_ABSENT = Text("In the gradebook, but not in the zip: {names}", "成绩册里有，但 zip 里没有：{names}")
_UNGRADED = Text("Left out, because nothing was graded: {names}", "没有评分结果，未写入：{names}")
_MOST_NAMES = 30


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write the zip. Raises UsageError if the template is no download of submissions."""
    files = _files(options.template or _graded(book))
    people = {at: who for at, (who, _) in enumerate(files.values())}
    names = [name for _, name in files.values()]
    rows, unknown, doubtful = class_list.match_rows(class_list.roster(book, options.roster), people)
    file_of = {learner: names[at] for at, learner in rows.items()}
    marks = {mark.learner.id: mark for mark in marks_that_count(book)}
    data = io.BytesIO()
    ungraded = []
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for learner, name in sorted(file_of.items()):
            mark = marks[learner]
            report = report_with_overrides(book, mark)
            if report is None:
                ungraded.append(learner)
                continue
            text = _text(visible_report(report, mark, book.course.rules, options.now), book.course, options.lang)
            made.writestr(zipfile.ZipInfo(name, _TIME), text.encode(), zipfile.ZIP_DEFLATED)
    out.write_file([data.getvalue()])
    absent = [name for name, mark in marks.items() if mark.work is not None and name not in file_of]
    for said, listed in ((_UNKNOWN, unknown), (_DOUBTFUL, doubtful), (_ABSENT, absent), (_UNGRADED, ungraded)):
        if listed:
            more = [f"… (+{len(listed) - _MOST_NAMES})"] if len(listed) > _MOST_NAMES else []
            out.say(said.fill(names=name_list([*sorted(map(clean, listed))[:_MOST_NAMES], *more])))


def _graded(book: Book) -> Path:
    """The collection that was graded. Raises UsageError if it is gone."""
    known = book.gradebook.recall("collection")
    if not isinstance(known, str) or not Path(known).exists():
        raise UsageError(_NO_TEMPLATE)
    return Path(known)


def _files(path: Path) -> Mapping[str, tuple[Person, str]]:
    """For each user of a downloaded zip, or of the folder with its files: who it is, and the name of one file."""
    try:
        if path.is_dir():
            names = sorted(each.name for each in path.iterdir() if each.is_file())
        else:
            with zipfile.ZipFile(path) as found:
                names = [info.filename for info in found.infolist()[:_MOST_FILES] if not info.is_dir()]
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(_NO_ZIP.fill(path=path, reason=clean(reason, 200))) from error
    chosen: dict[str, tuple[int, str, Person]] = {}
    for name in names:
        user = canvas.user_of(name)
        if user is not None and "/" not in name:
            rank = _PREFERRED.index(suffix) if (suffix := Path(name).suffix.lower()) in _PREFERRED else len(_PREFERRED)
            before = chosen.get(user.ids[0][1])
            if before is None or (rank, name) < before[:2]:
                chosen[user.ids[0][1]] = rank, name, user
    if not chosen:
        raise UsageError(_NO_ZIP.fill(path=path, reason=_NO_FILES))
    return {number: (who, name) for number, (_, name, who) in chosen.items()}


def _text(report: Report, course: Course, lang: Lang) -> str:
    """The report as it is printed, in comments."""
    from rich.console import Console  # loads rich

    from grader.report.terminal import render  # loads rich

    screen = io.StringIO()
    render(report, course, lang, Console(file=screen, width=_WIDTH, color_system=None, highlight=False))
    return "".join(f"# {line}".rstrip() + "\n" for line in screen.getvalue().splitlines())

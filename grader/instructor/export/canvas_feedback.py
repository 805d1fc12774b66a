"""A zip with each learner's report, which Canvas attaches to their submission as a comment.

## What it writes

A zip with one text file for each learner: the report as `grade` prints it, every line as a comment. Canvas assigns it
by the numbers in its name, so each file has exactly the name of one of the learner's files in the graded zip, for
example `doejane_1234_5678_q05.py`, and Canvas shows it under that name. Until
`hidden_results` allows more, the report has only public cases and their points; with `never`, only hidden cases are
left out.

Learners are matched as in the export `canvas`; nothing is guessed. Learners who are only in the zip or only in the
gradebook are listed, and so are submissions without a file that Canvas could attach something to.

## Options

- `--template`: the zip from *Download Submissions* of the assignment, as it was downloaded (default: the one that was
  graded).
- `--roster`: numbers and addresses of learners; required for groups.

## How to use it

In Canvas, open the assignment, choose *Download Submissions*, and later *Upload Submissions* with the zip from this
export. Uploading it again adds another comment.

```
attncheck export canvas-feedback --from results --to feedback.zip
```
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.classroom.intake import Person, canvas
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.files import zipped
from grader.core.model import Course, Lang, Message, Report
from grader.core.tables import texts
from grader.core.text import clean, name_list
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.export import _class_list as class_list
from grader.instructor.mark_reports import learner_report, marks_that_count

ABOUT = Message("A zip with each learner's report, which Canvas attaches to their submission as a comment.")
ON_PAGE = Message(
    "A zip with a report for each learner. Upload it in Canvas with Upload Submissions. Choose a file only if the "
    "submissions that were graded have been moved: the zip that Canvas made with Download Submissions."
)
SOURCE = "gradebook"
OPTIONS = frozenset({"template", "roster"})

#: The most entries of a zip that are read: more than any class submits.
_MOST_FILES = 200_000
_WIDTH = 96
#: The suffixes of files whose names are preferred, because people open these files as text.
_PREFERRED = (".py", ".yaml", ".yml", ".txt", "")
_NO_TEMPLATE = Message(
    "The graded submissions are no longer there: give the zip that you downloaded with Download Submissions."
).with_advice(Message("The option is --template FILE."))
_NO_ZIP = Message("{path} is not a zip of submissions from Canvas ({reason}).")
_NO_FILES = Message("no file in it has a name like those of Canvas: `doejane_1234_5678_q05.py`")
_MOST_NAMES = 30


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Write the zip. Raises UsageError if the template is not a download of submissions."""
    people = _files(options.template or _graded(book))
    found, unknown, doubtful = class_list.match_rows(class_list.roster(book, options.roster), people)
    file_of = {learner: name for name, learner in found.items()}
    marks = {mark.learner.id: mark for mark in marks_that_count(book)}
    ungraded: list[str] = []

    def reports() -> Iterator[tuple[str, bytes]]:
        for learner, name in sorted(file_of.items()):
            report = learner_report(book, marks[learner], options.now)
            if report is None:
                ungraded.append(learner)
            else:
                yield name, _text(report, book.course, options.lang).encode()

    out.write_file([zipped(reports())])
    absent = [name for name, mark in marks.items() if mark.work is not None and name not in file_of]
    lists = (unknown, doubtful, absent, ungraded)
    for said, listed in zip(texts(__file__, "canvas_feedback.yaml").values(), lists, strict=True):
        if listed:
            more = [f"… (+{len(listed) - _MOST_NAMES})"] if len(listed) > _MOST_NAMES else []
            out.say(said.fill(names=name_list([*sorted(map(clean, listed))[:_MOST_NAMES], *more])))


def _graded(book: Book) -> Path:
    """The collection that was graded. Raises UsageError if it is gone."""
    known = book.gradebook.recall("collection")
    if not isinstance(known, str) or not Path(known).exists():
        raise UsageError(_NO_TEMPLATE, field="template")
    return Path(known)


def _files(path: Path) -> Mapping[str, Person]:
    """The name of one file of each Canvas user in a downloaded zip or a folder with its files, and whose it is."""
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
    return {name: who for _, name, who in chosen.values()}


def _text(report: Report, course: Course, lang: Lang) -> str:
    """The report as `grade` prints it, as Python comments."""
    from rich.console import Console  # loads rich

    from grader.report.terminal import render  # loads rich

    screen = io.StringIO()
    render(report, course, lang, Console(file=screen, width=_WIDTH, color_system=None, highlight=False))
    return "".join(f"# {line}".rstrip() + "\n" for line in screen.getvalue().splitlines())

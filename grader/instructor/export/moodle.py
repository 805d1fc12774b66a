"""The grading worksheet downloaded from Moodle (--template), with grades and feedback filled in.

## What it writes

The CSV file that you downloaded. Only the cells of the grade and of the feedback change; every other byte is kept.
Headings are in the language of the site, so columns are found by known headings, or else by their content
(participants' numbers after a word, a maximum that is the same in every row, and the grade to its left). Comments that
were written by hand are kept; those of attncheck start with `attncheck:`.

Learners are matched and exceptions are listed as for `canvas`, with the participants' numbers of a Moodle zip.

## Options

- `--template`: the worksheet as it was downloaded. Do not save it from a spreadsheet first.
- `--column`: the column of the grade; needed only if it is not recognised.
- `--roster`: numbers and addresses of learners; required for groups.

## How to use it

Download the worksheet from the assignment (*Download grading worksheet*), fill it in, and upload the result (*Upload
grading worksheet*).

```
attncheck export moodle --from results --template Grades.csv --to upload.csv
```
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from grader.classroom.intake import Person
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.tables import table
from grader.core.text import clean
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.export import _class_list as class_list
from grader.instructor.export._class_list import Sheet, headings_text, not_one_column

ABOUT = Message("The grading worksheet downloaded from Moodle (--template), with grades and feedback filled in.")
ON_PAGE = Message(
    "Download the grading worksheet in Moodle and choose that file here. You get it back with grades and feedback "
    "filled in, ready to upload."
)
SOURCE = "gradebook"
OPTIONS = frozenset({"template", "column", "roster"})

_PARTICIPANT = re.compile(r"\D*?(\d+)\s*")
#: The prefix of attncheck's comments. Comments without it were written by a person, and are kept.
_OURS = "attncheck: "
_NO_PARTICIPANTS = Message(
    "{sheet} has no column of participants such as “Participant 657768”; expected the grading worksheet of a Moodle "
    "assignment (“Download grading worksheet”), with a row for each participant."
)


@dataclass(frozen=True, slots=True)
class _Columns:
    person: int
    grade: int
    name: int | None
    email: int | None
    most: int | None
    feedback: int | None


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Fill in grades and feedback. Only the cells of learners whose work was graded change."""
    sheet = class_list.read_template(options, "Moodle grading worksheet")
    columns = _columns(sheet, options.column)
    people = {row: _person(sheet, columns, row) for row in _filled(sheet)}
    graded = class_list.grades(book, options)
    rows, unknown, doubtful = class_list.match_rows(class_list.roster(book, options.roster), people)
    most = next((sheet.at(row, columns.most) for row in people if sheet.at(row, columns.most).strip()), "")
    class_list.compare_points(out, book, sheet.at(0, columns.most) or "Maximum grade", most)
    changes: dict[tuple[int, int], str] = {}
    kept = 0
    for row, name in rows.items():
        grade = graded[name]
        if not grade.state and columns.grade < len(sheet.rows[row]):
            changes[row, columns.grade] = grade.earned.replace(".", "," if "," in most else ".")
            at = columns.feedback
            if at is not None and at < len(sheet.rows[row]):
                if sheet.at(row, at).strip() and not sheet.at(row, at).startswith(_OURS):
                    kept += 1
                else:
                    changes[row, at] = _OURS + "<br>".join(html.escape(clean(line, 400)) for line in grade.lines)
    out.write_file([sheet.edited(changes)])
    if columns.feedback is None:
        out.say(Message("There is no feedback column, so only grades are filled in."))
    if kept:
        out.say(Message("Comments written by someone else were kept: {count}.").fill(count=kept))
    class_list.report_differences(out, graded, rows, unknown, doubtful, (row for row, _ in changes))


def _filled(sheet: Sheet) -> list[int]:
    """The rows below the heading that are not empty."""
    return [at for at in range(1, len(sheet.rows)) if any(cell.text.strip() for cell in sheet.rows[at])]


def _columns(sheet: Sheet, wanted: str | None) -> _Columns:
    heading = [cell.text.strip() for cell in sheet.rows[0]] if sheet.rows else []
    rows = _filled(sheet)

    def where(fits: Callable[[str], bool]) -> list[int]:
        """The columns in which every cell fits."""
        return [at for at in range(len(heading)) if rows and all(fits(sheet.at(row, at).strip()) for row in rows)]

    def named(what: str) -> int | None:
        known = table(__file__, "moodle.yaml")[what]
        return next((at for at, title in enumerate(heading) if title.casefold() in known), None)

    # A bare number may mean anything; a participant's number follows a word.
    person = where(lambda cell: bool(_PARTICIPANT.fullmatch(cell)) and not cell[:1].isdecimal())
    if not person:
        raise UsageError(_NO_PARTICIPANTS.fill(sheet=sheet.path))
    maxima = [
        at
        for at in where(lambda cell: (class_list.number(cell) or 0) > 0)
        if at not in person and len({sheet.at(row, at) for row in rows}) == 1
    ]
    most = named("most")
    if most is None and len(maxima) == 1:
        most = maxima[0]
    grade = _grade(sheet, heading, wanted, named("grade"), most)
    email = where(lambda cell: "@" in cell)
    feedback, last = named("feedback"), len(heading) - 1
    free = where(lambda cell: not cell or cell.startswith(_OURS))
    if feedback is None and last in free and last not in (grade, most):
        feedback = last
    name = named("name")
    if name is None and person[0] == 0 and 1 not in (grade, most, feedback, *email):
        name = 1
    return _Columns(person[0], grade, name, email[0] if email else None, most, feedback)


def _grade(sheet: Sheet, heading: list[str], wanted: str | None, named: int | None, most: int | None) -> int:
    if wanted is not None:
        if heading.count(wanted) != 1:
            raise UsageError(not_one_column(sheet, wanted, heading.count(wanted), heading))
        return heading.index(wanted)
    if named is not None:
        return named
    if most:
        return most - 1
    said = Message("{sheet} has no obvious column of grades; name one of these: {heading}.").with_advice(
        Message("The option is --column NAME.")
    )
    raise UsageError(said.fill(sheet=sheet.path, heading=headings_text(heading)), field="column")


def _person(sheet: Sheet, columns: _Columns, row: int) -> Person:
    identifier = sheet.at(row, columns.person).strip()
    match = _PARTICIPANT.fullmatch(identifier)
    ids = [("moodle", match[1] if match else identifier)]
    if email := sheet.at(row, columns.email).strip():
        ids += [("email", email), ("learner", email)]
    return Person(sheet.at(row, columns.name).strip() or identifier, tuple(ids))

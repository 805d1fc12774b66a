"""The gradebook CSV downloaded from Canvas (--template), one assignment (--column) filled in.

## What it writes

The CSV file that you downloaded, with the points of one assignment. Only the cells of that column change; every other
byte is kept.

Learners are matched by the Canvas number of their submission (from a Canvas zip), by their ids in the gradebook, by the
numbers and addresses of a roster (required for groups), and last by a name that only one learner has. A contradicting
number rules out a match. Nothing is guessed: unmatched rows and learners are listed. Also listed are

- cells that were left unchanged: no submission, something that could not be graded, `EX` and `N/A`;
- learners whose answers still have to be graded by hand (override them, and export again);
- a maximum that differs from the points that could be earned. Points are written unscaled, with at most two decimals.

## Options

- `--template`: the gradebook as it was downloaded. Do not save it from a spreadsheet first.
- `--column`: the assignment, by title, number or heading. Optional if there is only one.
- `--roster`: numbers and addresses of learners; required for groups.

## How to use it

Download the gradebook from Canvas (Grades → *Export*), fill it in, and import the result (Grades → *Import*). Canvas
shows the differences before it saves them.

```
attncheck export canvas --from results --template Grades.csv --column 'Attention' --to upload.csv
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.classroom.intake import Person
from grader.classroom.results import Book
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.instructor.export import ExportOptions, ExportTarget
from grader.instructor.export import _class_list as class_list
from grader.instructor.export._class_list import Sheet, headings_text, not_one_column

ABOUT = Message("The gradebook CSV downloaded from Canvas (--template), one assignment (--column) filled in.")
ON_PAGE = Message(
    "Export the gradebook in Canvas (Grades → Export) and choose that file here. You get it back with the points of "
    "one assignment filled in, ready to import."
)
SOURCE = "gradebook"
OPTIONS = frozenset({"template", "column", "roster"})

#: The heading of an assignment. No other heading has this form.
_ASSIGNMENT = re.compile(r"(?P<title>.+) \((?P<number>\d+)\)")
#: Canvas's columns of identifiers, and their kinds here.
_IDS = {"ID": "canvas", "SIS User ID": "sid", "SIS Login ID": "login"}
#: Cells that mean “excused” and “not assigned”; they are kept.
_KEPT = frozenset({"EX", "N/A"})


def write(book: Book, options: ExportOptions, out: ExportTarget) -> None:
    """Fill in one column. Only the cells of learners whose work was graded change."""
    sheet = class_list.read_template(options, "Canvas gradebook CSV")
    heading = [cell.text for cell in sheet.rows[0]] if sheet.rows else []
    if "ID" not in heading or not {"Student", "LastName"} & set(heading):
        said = Message("{sheet}:1: expected a gradebook exported from Canvas, with columns Student and ID.")
        raise UsageError(said.fill(sheet=sheet.path))
    column = _column(sheet, heading, options.column)
    graded = class_list.grades(book, options)
    rows, unknown, doubtful = class_list.match_rows(class_list.roster(book, options.roster), _people(sheet, heading))
    comma = False
    for at in range(1, len(sheet.rows)):
        if not sheet.at(at, heading.index("ID")).strip() and _is_points(sheet, at):
            class_list.compare_points(out, book, "Points Possible", sheet.at(at, column))
            comma = "," in sheet.at(at, column)
    changes = {
        (at, column): graded[name].earned.replace(".", "," if comma else ".")
        for at, name in rows.items()
        if not graded[name].state and column < len(sheet.rows[at]) and sheet.at(at, column).strip() not in _KEPT
    }
    out.write_file([sheet.edited(changes)])
    class_list.report_differences(out, graded, rows, unknown, doubtful, (at for at, _ in changes))


def _column(sheet: Sheet, heading: list[str], wanted: str | None) -> int:
    """The column of the assignment ``wanted`` (heading, title or number); None means the only assignment there is."""
    found = {at: match for at, cell in enumerate(heading) if (match := _ASSIGNMENT.fullmatch(cell))}
    fitting = [at for at, match in found.items() if wanted in (None, heading[at], match["title"], match["number"])]
    if len(fitting) == 1:
        return fitting[0]
    there = [heading[at] for at in found]
    if wanted is not None:
        raise UsageError(not_one_column(sheet, wanted, len(fitting), there), field="column")
    said = Message("{sheet} has {found} assignments; name one of them: {there}.").with_advice(
        Message("The option is --column NAME.")
    )
    raise UsageError(said.fill(sheet=sheet.path, found=len(found), there=headings_text(there)), field="column")


def _is_points(sheet: Sheet, row: int) -> bool:
    return sheet.at(row, 0).startswith("    ") or sheet.at(row, 0).strip() == "Points Possible"


def _people(sheet: Sheet, heading: list[str]) -> Mapping[int, Person]:
    """The person of each row. Rows without an ID have none."""
    at = {name: heading.index(name) for name in ("Student", "LastName", "FirstName", *_IDS) if name in heading}
    people = {}
    for row in range(1, len(sheet.rows)):
        if not sheet.at(row, at["ID"]).strip():
            continue
        ids = [(kind, sheet.at(row, at.get(name)).strip()) for name, kind in _IDS.items()]
        ids += [("learner", value) for kind, value in ids if kind != "canvas"]
        last_first = (sheet.at(row, at.get("LastName")), sheet.at(row, at.get("FirstName")))
        name = sheet.at(row, at.get("Student")) or ", ".join(filter(None, last_first))
        people[row] = Person(name, tuple((kind, value) for kind, value in ids if value))
    return people

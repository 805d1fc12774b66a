"""Fill in a class list that an LMS wrote: match its rows with learners by id, address or name, and edit its cells.

No byte of the file changes besides those of the cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from grader.classroom.intake import Person
from grader.classroom.marks import Mark
from grader.classroom.results import Book, count_pending
from grader.classroom.roster import Learner, Roster, contradicts, csv_separator, read_roster
from grader.core.errors import UsageError, reported
from grader.core.model import Message, Text
from grader.core.tables import texts
from grader.core.text import clean, points
from grader.instructor.export import ExportOptions, ExportTarget, first_names
from grader.instructor.mark_reports import error_message, is_still_open, marks_that_count, summary

#: A row of a class list, by its number; of a collection, a file, by its name.
Row = TypeVar("Row", int, str)
_BOM = "\ufeff"
#: The most headings that a message lists.
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of a cell, and its position in the text of the file, including quotes."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A CSV file: its text, its rows, and the separator of its cells."""

    path: Path
    text: str
    rows: tuple[tuple[Cell, ...], ...]
    separator: str

    def at(self, row: int, column: int | None) -> str:
        """The value of a cell; "" if it does not exist."""
        return self.rows[row][column].text if column is not None and column < len(self.rows[row]) else ""

    def edited(self, changes: Mapping[tuple[int, int], str]) -> bytes:
        """The bytes of the file with ``changes``, a map from (row, column) to the new value."""
        parts, last = [], 0
        for row, column in sorted(changes):
            cell = self.rows[row][column]
            parts += [self.text[last : cell.start], self._written(changes[row, column])]
            last = cell.end
        return "".join([*parts, self.text[last:]]).encode()

    def _written(self, text: str) -> str:
        if not any(sign in text for sign in (self.separator, '"', "\r", "\n")):
            return text
        return '"' + text.replace('"', '""') + '"'


def read_sheet(path: Path) -> Sheet:
    """Read a CSV file in UTF-8, with commas, semicolons or tabs as separators. Raises UsageError."""
    with reported(Message("The template {path} cannot be read: {reason}."), path=path):
        data = path.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        said = Message("The template {path} is not UTF-8 (byte {start}); use the file as downloaded.")
        raise UsageError(said.fill(path=path, start=error.start)) from error
    start = len(_BOM) if text.startswith(_BOM) else 0
    between = csv_separator(text[start:])
    return Sheet(path, text, _rows(path, text, start, between), between)


def _rows(path: Path, text: str, start: int, separator: str) -> tuple[tuple[Cell, ...], ...]:
    pattern = re.compile(rf'("(?:[^"]|"")*+"(?=[{separator}\r\n]|\Z)|[^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)')
    rows: list[tuple[Cell, ...]] = []
    row: list[Cell] = []
    while start < len(text) or row:
        found = pattern.match(text, start)
        assert found is not None  # the second alternative matches anything, even ""
        written = found[1]
        if written.startswith('"') and (len(written) == 1 or not written.endswith('"')):
            said = Message("The template {path}:{line} has a quoted cell that is not closed; download it again.")
            raise UsageError(said.fill(path=path, line=len(rows) + 1))
        quoted = written.startswith('"')
        row.append(Cell(written[1:-1].replace('""', '"') if quoted else written, start, found.end(1)))
        start = found.end()
        if found[2] != separator:
            rows.append(tuple(row))
            row = []
    return tuple(rows)


def not_one_column(sheet: Sheet, wanted: str, count: int, headings: Sequence[str]) -> Text:
    """The message if ``count`` columns of ``headings`` are called ``wanted``, and not one."""
    said = Message("{sheet} has {count} columns “{wanted}”; expected one. Available: {heading}")
    return said.fill(sheet=sheet.path, count=count, wanted=clean(wanted, 80), heading=headings_text(headings))


def headings_text(headings: Sequence[str]) -> str:
    """The headings of a sheet, for a message that asks for one of them."""
    names = "; ".join(clean(heading, 60) for heading in headings[:_MOST_NAMED]) or "none"
    more = len(headings) - _MOST_NAMED
    return f"{names}; and {more} more" if more > 0 else names


# ------------------------------------------------------------------------------------------ matching rows with learners

_OTHER_POINTS = Message(
    "{where} is {found}, but the course has {possible} points. Points are filled in without scaling."
)
_FILLED = Message("Filled in: {count} of {all} rows.")


@dataclass(frozen=True, slots=True)
class Grade:
    """A learner's points with a summary in ``lines``. ``state`` is the reason not to fill them in, or empty."""

    earned: str
    lines: tuple[str, ...]
    state: str
    waiting: bool


def read_template(options: ExportOptions, what: str) -> Sheet:
    """Read the file to fill in. Raises UsageError without ``--template``; ``what`` describes the expected file."""
    if options.template is None:
        said = Message("There is no file to fill in: give the {what} that you downloaded.").with_advice(
            Message("The option is --template FILE.")
        )
        raise UsageError(said.fill(what=what), field="template")
    return read_sheet(options.template)


def grades(book: Book, options: ExportOptions) -> dict[str, Grade]:
    """The grade of each learner by id; if every attempt counts, that of the last attempt.

    A course that shows results only when nothing more can count shows no points before, either.
    """
    found = {}
    rules, now = book.course.rules, options.now or datetime.now(UTC)
    for mark in marks_that_count(book):
        lines = tuple(summary(mark, options.lang, rules, now))
        state = "open" if mark.work is not None and is_still_open(rules, mark.learner, now) else _state(mark)
        found[mark.learner.id] = Grade(points(mark.earned), lines, state, count_pending(mark) > 0)
    return found


def _state(mark: Mark) -> str:
    """The reason not to fill in a mark, or empty. An override is filled in even if nothing could be graded."""
    ungradable = mark.work is None or error_message(mark) is not None
    if ungradable and mark.overridden:
        return ""
    return "nothing" if mark.work is None else "ungraded" if ungradable or not mark.complete else ""


def roster(book: Book, more: Path | None) -> Roster:
    """The learners of the gradebook, with LMS ids from their submissions and from the roster file ``more``."""
    numbers: dict[str, set[tuple[str, str]]] = {}
    for row in book.gradebook.submissions():
        system, _, number = row.key.partition("-")
        if len(row.learners) == 1 and system in ("canvas", "moodle") and number.isdecimal():
            numbers.setdefault(row.learners[0], set()).add((system, number))
    listed = {
        learner.id: [(kind, _bare(value) if kind == "moodle" else value) for kind, value in learner.ids]
        for learner in (read_roster(more).learners if more else ())
    }
    return Roster(
        tuple(
            Learner(
                one.id, one.name, ids=(("learner", one.id), *sorted(numbers.get(one.id, ())), *listed.get(one.id, ()))
            )
            for one in book.gradebook.learners()
        )
    )


def _bare(identifier: str) -> str:
    """The number in “Participant 657768”."""
    return re.sub(r"\D", "", identifier) or identifier


def match_rows(known: Roster, people: Mapping[Row, Person]) -> tuple[dict[Row, str], list[str], list[str]]:
    """The learner id of each matched row, the names of people who match nobody, and those who match ambiguously."""
    rows: dict[Row, str] = {}
    unknown: list[str] = []
    doubtful: list[str] = []
    for row, person in people.items():
        match = known.match(person)
        if match.learner is not None and not contradicts(person, match.learner):
            rows[row] = match.learner.id
        else:
            (doubtful if match.why == "ambiguous" else unknown).append(person.name)
    twice = {name for name, times in Counter(rows.values()).items() if times > 1}
    doubtful += [people[row].name for row, name in rows.items() if name in twice]
    return {row: name for row, name in rows.items() if name not in twice}, unknown, doubtful


def report_differences(
    out: ExportTarget,
    graded: Mapping[str, Grade],
    rows: Mapping[int, str],
    unknown: Sequence[str],
    doubtful: Sequence[str],
    filled: Iterable[int],
) -> None:
    """Report who is only in the template or only in the gradebook, and whose cells are left unchanged."""
    there = set(rows.values())
    absent = [name for name in graded if name not in there]
    lists: dict[str, Sequence[str]] = {"unmatched": unknown, "ambiguous": doubtful, "absent": absent}
    for state in ("nothing", "ungraded", "open"):
        lists[state] = [name for name in there if graded[name].state == state]
    lists["waiting"] = [name for name in there if graded[name].waiting]
    for kind, text in texts(__file__, "class_list.yaml").items():
        if names := lists[kind]:
            out.say(text.fill(names=first_names(sorted(map(clean, names)))))
    out.say(_FILLED.fill(count=len(set(filled)), all=len(rows) + len(unknown) + len(doubtful)))


def compare_points(out: ExportTarget, book: Book, where: str, written: str) -> None:
    """Warn if the maximum in the LMS, ``written`` in ``where``, differs from that of the course."""
    possible = sum(book.points.values())
    found = number(written)
    if found is not None and abs(found - possible) > 0.005:
        out.say(_OTHER_POINTS.fill(where=clean(where, 80), found=points(found), possible=points(possible)))


def number(written: str) -> float | None:
    """The number in a cell, with a decimal point or comma; None if it is not a number."""
    try:
        return float(written.strip().replace(",", "."))
    except ValueError:
        return None

"""The class as a table with a row for each mark that counts, for ``attncheck serve`` and ``export html``."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.classroom.results import count_pending, has_other_name
from grader.classroom.words import GRADED, NOTHING_THERE, OTHER_NAME, PARTLY, SAID_LATE, WHOLE
from grader.core.model import Message, Text
from grader.core.tables import texts
from grader.core.text import SEMICOLON, cleaned, duration, join
from grader.instructor.mark_reports import error_text, has_points
from grader.report import words

if TYPE_CHECKING:
    from grader.classroom.marks import Mark


def titles() -> Mapping[str, Text]:
    """The headings and filters of the table, by name."""
    return texts(__file__, "class_table.yaml")


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A learner in the table. ``questions`` are (id, earned, possible). ``waiting`` is the number of answers to mark.

    ``said`` is the status as text. ``number`` distinguishes the rows of a learner if every attempt counts.
    """

    id: str
    name: str
    section: str
    earned: float
    possible: float
    questions: tuple[tuple[str, float, float], ...]
    said: Text
    submitted: bool = True
    has_points: bool = True
    complete: bool = True
    graded: bool = True
    given: bool = False
    late: bool = False
    late_seconds: float = 0.0
    waiting: int = 0
    number: int = 1

    @property
    def late_text(self) -> Text:
        """How late the submission is, as text; empty if it is on time."""
        if not self.late:
            return Text("", "")
        return duration(self.late_seconds) if self.late_seconds else Message("yes")


#: The filters for rows, by name.
FLAGS: Mapping[str, Callable[[ClassRow], bool]] = {
    "ungraded": lambda row: row.submitted and not (row.graded and row.complete),
    "person": lambda row: row.waiting > 0 or (row.submitted and not (row.graded and row.complete)),
    "is_late": lambda row: row.late,
    "missing": lambda row: not row.submitted,
    "given": lambda row: row.given,
}


def numbered(marks: Iterable[Mark]) -> tuple[ClassRow, ...]:
    """The rows of ``marks``, in which all marks of a learner are adjacent."""
    found: list[ClassRow] = []
    for mark in marks:
        again = found[-1].number + 1 if found and found[-1].id == mark.learner.id else 1
        found.append(class_row(mark, again))
    return tuple(found)


def class_row(mark: Mark, number: int = 1) -> ClassRow:
    """The row of a mark."""
    row = mark.work.row if mark.work is not None else None
    graded = row is None or (row.error is None and bool(mark.work and mark.work.results))
    return ClassRow(
        mark.learner.id,
        "" if mark.learner.name == mark.learner.id else mark.learner.name,
        mark.learner.section,
        mark.earned,
        mark.possible,
        mark.questions,
        _status(mark),
        submitted=row is not None,
        has_points=has_points(mark) and (graded or bool(mark.overridden)),
        complete=mark.complete,
        graded=graded,
        given=bool(mark.overridden),
        late=row is not None and (mark.late_seconds > 0 or row.late),
        late_seconds=mark.late_seconds,
        waiting=count_pending(mark),
        number=number,
    )


def _status(mark: Mark) -> Text:
    """The status of a mark as text."""
    by_hand = [Message("includes points given by the instructor")] if mark.overridden else []
    if mark.work is None:
        return join([NOTHING_THERE, *by_hand], SEMICOLON)
    said = error_text(mark)
    if said is not None:
        return join([cleaned(said, 300), *by_hand], SEMICOLON)
    found: list[Text] = [WHOLE if mark.passed else GRADED if mark.complete else PARTLY]
    if mark.late_seconds:
        found.append(words.LATE.fill(time=duration(mark.late_seconds)))
    elif mark.work.row.late:
        found.append(SAID_LATE)
    if has_other_name(mark.work.row):
        found.append(OTHER_NAME)
    if count := count_pending(mark):
        found.append(Message("answers still to mark: {count}").fill(count=count))
    return join(found, SEMICOLON)


# ------------------------------------------------------------------------------------------ choosing


@dataclass(frozen=True, slots=True)
class TableFilter:
    """Which rows to show, and in which order. ``sort`` is a column or a question id; unknown values are ignored."""

    search: str = ""
    flag: str = ""
    section: str = ""
    sort: str = "learner"
    descending: bool = False


def filter_rows(found: Sequence[ClassRow], choice: TableFilter) -> list[ClassRow]:
    """The rows that pass the filter, sorted. The sort is stable, so equal rows stay ordered by id."""
    wanted = folded(choice.search)
    flag = FLAGS.get(choice.flag)
    kept = [
        row
        for row in found
        if (not wanted or wanted in folded(f"{row.id} {row.name}"))
        and (flag is None or flag(row))
        and (not choice.section or row.section == choice.section)
    ]
    return sorted(kept, key=_order(choice.sort), reverse=choice.descending)


def _order(column: str) -> Callable[[ClassRow], Any]:
    def question(row: ClassRow) -> float:
        shares = [earned for name, earned, _ in row.questions if name == column]
        return shares[0] if shares and row.has_points else -1.0

    orders: Mapping[str, Callable[[ClassRow], Any]] = {
        "learner": lambda row: (folded(row.name or row.id), row.id),
        "id": lambda row: row.id,
        "section": lambda row: (row.section, row.id),
        "points": lambda row: row.earned if row.has_points else -1.0,
        "late": lambda row: (row.late, row.late_seconds),
        "status": lambda row: row.said.en,
    }
    return orders.get(column, question)


def folded(text: str) -> str:
    """Text without case and accents, for searching."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if not unicodedata.combining(char)).strip()

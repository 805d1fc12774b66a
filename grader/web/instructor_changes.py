"""The instructor's pages on changes: each save of points with a button that undoes it, and the audit log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from grader.classroom import audit
from grader.classroom.gradebook import Override, SavedChanges
from grader.core.jsonl import Place
from grader.core.model import Message, Text
from grader.core.text import COMMA, points
from grader.instructor.overrides import Signed, undo_save
from grader.web.class_data import LOCK_TIMEOUT, StaffVisit, moment

#: The number of saves on a page.
_PER_PAGE = 20
#: No override: the points earned count, or the answer waits for a person.
_NONE = Message("none")
_DONE = {"replied": Message("The answer was saved."), "ended": Message("Ended.")}
_SAVED = Message("Saved as change {number}. Points given by hand for {part} to {who}: {after}; before: {before}.")
_UNDONE = Message("Undone as change {number}. Points given by hand for {part} to {who}: {after}; before: {before}.")
_AND_OTHERS = Message("{names} and {count} more")
#: The actions in the log of changes.
_ACTIONS: Mapping[str, Text] = {
    "gave points": Message("gave points"),
    "removed override": Message("removed points given by hand"),
    "undid": Message("undid a change"),
    "read class table": Message("read the class table"),
    "read report": Message("read the report of a learner"),
    "read answers": Message("read answers of learners"),
    "read comparison": Message("compared solutions"),
    "read similar solutions": Message("read the list of similar solutions"),
    "read findings": Message("read statistics with names"),
    "read requests": Message("read requests for regrading"),
    "read changes": Message("read points given by hand"),
    "submitted": Message("submitted"),
    "marked answers": Message("marked answers"),
    "answered request": Message("answered a request"),
    "downloaded": Message("downloaded"),
    "signed in": Message("signed in"),
    "signed out": Message("signed out"),
    "ended sessions": Message("ended sessions"),
    "ended sessions and links": Message("ended sessions and links"),
}
_LOGS = {
    "changes": Message("Changes"),
    "reading": Message("What staff read"),
    "learners": Message("Learners"),
}


@dataclass(frozen=True, slots=True)
class SaveRow:
    """A save of points as a row of a table. ``before`` and ``after`` are the points given by hand, or none."""

    save: SavedChanges
    parts: tuple[str, ...]
    learners: tuple[str, ...]
    before: Text
    after: Text
    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """What was done before this page was opened: a sentence, and the save of points, if there was one."""

    said: str
    save: SavedChanges | None = None


def find_done(visit: StaffVisit) -> Done | None:
    """What the address says was done last; None if it says nothing."""
    asked = visit.asked("done")
    if asked in _DONE:
        return Done(_DONE[asked].of(visit.lang))
    if not asked.isdecimal() or len(asked) > 12:
        return None
    with visit.class_data.book() as book:
        save = book.gradebook.find_save(int(asked))
    return None if save is None else Done(_done(save).of(visit.lang), save)


def _done(save: SavedChanges) -> Text:
    row = save_row(save)
    who = Text(", ".join(row.learners[:3]), "、".join(row.learners[:3]))
    if len(row.learners) > 3:
        who = _AND_OTHERS.fill(names=who, count=len(row.learners) - 3)
    message = _SAVED if save.undoes is None else _UNDONE
    return message.fill(number=save.number, part=", ".join(row.parts), who=who, before=row.before, after=row.after)


def save_row(save: SavedChanges) -> SaveRow:
    """A save as a row of a table."""
    reasons = {each.after.reason for each in save.changes if each.after is not None}
    return SaveRow(
        save,
        tuple(dict.fromkeys(each.part for each in save.changes)),
        tuple(dict.fromkeys(each.learner for each in save.changes)),
        _given(each.before for each in save.changes),
        _given(each.after for each in save.changes),
        " · ".join(sorted(reasons)),
    )


def _given(overrides: Iterable[Override | None]) -> Text:
    said = {_NONE if each is None else Text(points(each.points), points(each.points)) for each in overrides}
    ordered = sorted(said, key=lambda each: each.en)
    return Text(COMMA.en.join(each.en for each in ordered), COMMA.zh.join(each.zh for each in ordered))


def latest_saves(visit: StaffVisit, part: str) -> list[SaveRow]:
    """The latest saves of points for ``part``, the last one first."""
    with visit.class_data.book() as book:
        return [save_row(save) for save in book.gradebook.saves(_PER_PAGE, part=part)]


def undo(visit: StaffVisit) -> Response:
    """Undo a save of points, and return to the page with the button."""
    class_data = visit.class_data
    number = visit.number()
    by = Signed(visit.author, class_data.now())
    undone = undo_save(class_data.folder, number, by, class_data.course_folder, visit.lang, LOCK_TIMEOUT)
    row = save_row(undone)
    learners = {"learner": row.learners[0]} if len(row.learners) == 1 else {"answers": str(len(row.learners))}
    visit.note("undid", change=str(number), part=", ".join(row.parts), **learners)
    back = visit.typed("back").partition("?")[0]
    if not back.startswith(class_data.base + "/") or re.search(r"[\\\s]|//", back):
        back = class_data.at("changes")
    return RedirectResponse(f"{back}?done={undone.number}", 303)


def changes_page(visit: StaffVisit) -> Response:
    """The saves of points, all points given by hand, and the log of what was done, the latest first."""
    class_data = visit.class_data
    visit.note_reading("read changes")
    log = visit.asked("log") if visit.asked("log") in audit.LOGS else "changes"
    page = audit.read_page(class_data.folder, log, _place(visit.asked("before")))
    asked = visit.asked("saves")
    before = int(asked) if asked.isdecimal() and len(asked) < 12 else None
    with class_data.book() as book:
        saves = book.gradebook.saves(_PER_PAGE + 1, before=before)
        overrides = sorted(book.gradebook.overrides(), key=lambda each: each.at, reverse=True)
    earlier = page.earlier
    return visit.page(
        "instructor_changes.html",
        saves=[save_row(save) for save in saves[:_PER_PAGE]],
        more_saves=class_data.at("changes", saves=str(saves[_PER_PAGE - 1].number)) if saves[_PER_PAGE:] else None,
        overrides=overrides,
        DID=_ACTIONS,
        logs=[(name, title, class_data.at("changes", log=name)) for name, title in _LOGS.items()],
        log=log,
        entries=page.entries,
        earlier=class_data.at("changes", log=log, before=f"{earlier.segment}.{earlier.offset}") if earlier else None,
        may_end=visit.may_end_sessions(),
        moment=moment,
        done=find_done(visit),
    )


def _place(asked: str) -> Place | None:
    """The place in a log that an address names, as ``segment.offset``; None if it names none."""
    numbers = asked.split(".")
    if len(numbers) != 2 or not all(each.isdecimal() and len(each) < 13 for each in numbers):
        return None
    return Place(int(numbers[0]), int(numbers[1]))

"""Change a gradebook by hand: override points, and delete learners."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeAlias

from grader.classroom import audit, class_folder, ended_sessions, inbox
from grader.classroom.class_folder import EDITION, INBOX, SECRET, SERVING, WORK, locked
from grader.classroom.gradebook import (
    FILE,
    INTAKE,
    Gradebook,
    LearnerRow,
    Override,
    SavedChanges,
    SubmissionRow,
    open_gradebook,
)
from grader.classroom.marks import CoursePart
from grader.classroom.results import CLASS, Book, parts, temporary_files, write_files
from grader.classroom.text_view import text_lines
from grader.core import jsonl
from grader.core.errors import UsageError
from grader.core.files import TEMPORARY_PREFIX, portable_folder
from grader.core.layout import columns, shorten
from grader.core.model import Course, Lang, Message
from grader.core.serialize import Shown, Written
from grader.core.tables import texts
from grader.core.text import clean, points, suggestion
from grader.instructor import learner_requests
from grader.instructor.regrade import EarnedPoints, graded_course, points_of

#: The files to which records are appended.
_RECORDS = (learner_requests.FILE, *audit.LOGS.values())
_OWN = frozenset(
    {FILE, f"{FILE}-journal", ".lock", INTAKE, ".expected", CLASS, *_RECORDS}
    | {class_folder.FILE, INBOX, WORK, EDITION, SECRET, SERVING, ended_sessions.FILE}
    | {jsonl.lock_of(Path(name)).name for name in _RECORDS}
)


def find_learner(book: Gradebook, name: str) -> LearnerRow:
    """The learner with this id or unique name, or the submission with this key that belongs to nobody.

    Raises UsageError if there is none, or more than one.
    """
    nobodys = [LearnerRow(row.key, row.seed_name) for row in book.submissions() if not row.learners]
    everybody = [*book.learners(), *nobodys]
    wanted = name.strip().casefold()
    for same in (
        [one for one in everybody if one.id == name],
        [one for one in everybody if one.id.casefold() == wanted],
        [one for one in everybody if one.name.casefold() == wanted],
    ):
        if len(same) == 1:
            return same[0]
        if same:
            ids = ", ".join(one.id for one in same)
            raise UsageError(Message("“{name}” could be any of {ids}; give one of these ids.").fill(name=name, ids=ids))
    said = Message("There is no learner “{name}” in {book}. {hint}")
    raise UsageError(said.fill(name=name, book=book.path, hint=suggestion(name, [one.id for one in everybody], most=8)))


# ---------------------------------------------------------------------------------------------- points


def _id(learner: LearnerRow) -> str:
    return clean(learner.id)


def _name(part: CoursePart) -> str:
    return part.name


@dataclass(frozen=True, slots=True)
class OverrideResult:
    """A new or removed override, and the learner's points after it.

    - `format`: 1
    - `learner`: the id of the learner
    - `part`: the item or exercise
    - `override`: the new override; `null` if it was removed
    - `marks`: the learner's points, an entry for each submission that counts
    """

    format: int = field(default=1, kw_only=True)
    learner: Annotated[LearnerRow, Written(_id)]
    part: Annotated[CoursePart, Written(_name)]
    override: Override | None
    marks: tuple[EarnedPoints, ...]


@dataclass(frozen=True, slots=True)
class OverrideRequest:
    """Points to give by hand. ``beyond`` allows more than the maximum, and less than zero.

    ``answers`` is the number of the learner's request that they answer.
    """

    learner: str
    part: str
    points: float
    reason: str
    author: str
    beyond: bool = False
    answers: int | None = None


def give_points(
    folder: Path, request: OverrideRequest, now: datetime, course_folder: Path | None, lang: Lang, timeout: float = 0.0
) -> tuple[OverrideResult, int]:
    """Save an override in the gradebook, and update the result files. Raises UsageError if the request is not valid.

    Returns it with the number of the save (see ``undo_save``). Waits up to ``timeout`` seconds for the lock.
    """
    if not request.reason.strip():
        said = Message("Give a reason: it is shown with the points, and others will ask.").with_advice(
            Message("The option is --reason TEXT.")
        )
        raise UsageError(said, field="reason")
    with open_for_changes(folder, course_folder, timeout) as (book, loaded):
        learner = find_learner(book, request.learner)
        if learner not in book.learners():
            said = Message("{learner} belongs to nobody in the class; add the author to the roster, and grade again.")
            raise UsageError(said.fill(learner=learner.id))
        part = _part(request.part, loaded, points_of(book))
        if not math.isfinite(request.points) or not (request.beyond or 0 <= request.points <= part.possible):
            said = Message("{part} has 0 to {possible} points; found {points}.").with_advice(
                Message("Use --beyond to allow this.")
            )
            values = {"possible": f"{part.possible:g}", "points": f"{request.points:g}"}
            raise UsageError(said.fill(part=part.name, **values), field="points")
        change = Override(learner.id, part.name, request.points, request.reason.strip(), request.author, now)
        key = (change.learner, change.part)
        number = book.change_overrides({key: change}, request.author, now, request=request.answers)
        return OverrideResult(learner, part, change, _written(book, loaded, learner, lang)), number


@dataclass(frozen=True, slots=True)
class Signed:
    """Who changes something, and when."""

    author: str
    at: datetime


def remove_override(
    folder: Path, which: tuple[str, str], by: Signed, course_folder: Path | None, lang: Lang, timeout: float = 0.0
) -> tuple[OverrideResult, int]:
    """Delete the override for (learner, part), so that the earned points count. Raises UsageError if there is none.

    Returns it with the number of the save.
    """
    learner, part = which
    with open_for_changes(folder, course_folder, timeout) as (book, loaded):
        known = [(change.learner, change.part) for change in book.overrides()]
        who = learner if any(learner == one for one, _ in known) else find_learner(book, learner).id
        named = next((name for one, name in known if one == who and name.casefold() == part.casefold()), None)
        if named is None:
            has = ", ".join(name for one, name in known if one == who) or "none"
            said = Message("{who} has no points given by hand for “{part}”; parts with such points: {has}.")
            raise UsageError(said.fill(who=who, part=part, has=has), field="part")
        number = book.change_overrides({(who, named): None}, by.author, by.at)
        found = next((one for one in book.learners() if one.id == who), LearnerRow(who, who))
        rows = _written(book, loaded, found, lang)
        return OverrideResult(found, parts(loaded).get(named, CoursePart(named, "", 0.0)), None, rows), number


def undo_save(
    folder: Path, number: int, by: Signed, course_folder: Path | None, lang: Lang, timeout: float = 0.0
) -> SavedChanges:
    """Restore the overrides as they were before a save. Returns the save that does so, which can be undone, too.

    The answer to a request that the points came with is taken back or restored with them. Raises UsageError if there
    is no such save, or if one of its overrides has been changed since.
    """
    with open_for_changes(folder, course_folder, timeout) as (book, loaded):
        save = book.find_save(number)
        if save is None:
            raise UsageError(Message("There is no change {number} to undo.").fill(number=number))
        now_given = {(change.learner, change.part): change for change in book.overrides()}
        same = all(now_given.get((each.learner, each.part)) == each.after for each in save.changes)
        if not save.latest or not same:
            said = Message(
                "Change {number} cannot be undone: the points were changed again later. Undo the later change first."
            )
            raise UsageError(said.fill(number=number))
        wanted = {(each.learner, each.part): each.before for each in save.changes}
        undoing = book.change_overrides(wanted, by.author, by.at, undoes=number, request=save.request)
        write_files(Book.of(book, loaded), folder, lang)
        if save.request is not None:
            learner_requests.set_withdrawn(folder, save.request, not _takes_back(book, save), by.author, by.at)
        return SavedChanges(undoing, by.author, by.at, save.changes, number, save.request)


def _takes_back(book: Gradebook, save: SavedChanges) -> bool:
    """Whether a save undoes points, rather than giving them or undoing that they were undone."""
    times = 0
    while save.undoes is not None and (earlier := book.find_save(save.undoes)) is not None:
        save = earlier
        times += 1
    return times % 2 == 1


@contextlib.contextmanager
def open_for_changes(
    folder: Path, course_folder: Path | None, timeout: float = 0.0
) -> Iterator[tuple[Gradebook, Course]]:
    """Open the gradebook of ``folder`` for changes, locked. Yields it with its course. See ``lock.locked``."""
    with contextlib.closing(open_gradebook(folder)) as book, locked(folder, timeout):
        yield book, graded_course(book, course_folder)


def _written(book: Gradebook, loaded: Course, learner: LearnerRow, lang: Lang) -> tuple[EarnedPoints, ...]:
    marks = [row.mark for row in write_files(Book.of(book, loaded), book.path.parent, lang)]
    counting = (mark for mark in marks if mark.learner.id == learner.id and mark.counts)
    return tuple(EarnedPoints(mark.earned, mark.possible) for mark in counting)


def _part(name: str, loaded: Course, counting: Mapping[str, float]) -> CoursePart:
    known = {name: part for name, part in parts(loaded).items() if part.question in counting}
    found = known.get(name) or next((part for part in known.values() if part.name.casefold() == name.casefold()), None)
    if found is None:
        said = Message("There is no exercise or graded item “{name}”. {hint}")
        raise UsageError(said.fill(name=name, hint=suggestion(name, known, most=8)), field="part")
    return found


# ------------------------------------------------------------------------------------------ forgetting


def _shown_path(path: Path) -> str:
    return clean(str(path))


#: A path, which may have a name that a learner chose.
_ShownPath: TypeAlias = Annotated[Path, Written(_shown_path)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """What deleting a learner removes, and what it keeps.

    - `format`: 1
    - `learner`: the id of the learner
    - `submissions`: the keys of submissions that are removed from the gradebook
    - `overrides`: how many overrides are removed
    - `requests`: how many requests for regrading are removed
    - `removed`: files and folders that are removed
    - `shared`: the keys of submissions that are kept for their other authors
    - `outside`: where submissions were collected; nothing is removed there
    - `others`: files in the folder that attncheck did not write; they stay
    """

    format: int = 1
    learner: Annotated[LearnerRow, Written(_id)]
    submissions: tuple[Shown, ...]
    overrides: int
    requests: int = 0
    removed: tuple[_ShownPath, ...]
    shared: tuple[Shown, ...]
    outside: tuple[_ShownPath, ...]
    others: tuple[_ShownPath, ...]


@contextlib.contextmanager
def forgetting(
    folder: Path, name: str, course_folder: Path | None
) -> Iterator[tuple[ForgetPlan, Callable[[Lang], None]]]:
    """Yields what deleting the learner ``name`` would remove, and a function that deletes it."""
    with open_for_changes(folder, course_folder) as (book, loaded):
        plan = _forget_plan(book, folder, find_learner(book, name))

        def remove(lang: Lang) -> None:
            try:
                for path in plan.removed:
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            except OSError as error:
                said = Message("{filename} cannot be removed ({reason}); make it writable and try again.")
                raise UsageError(said.fill(filename=error.filename, reason=error.strerror)) from error
            book.forget(plan.learner.id)
            learner_requests.forget(folder, plan.learner.id)
            audit.forget(folder, plan.learner.id)
            ended_sessions.EndedSessions(folder).forget(plan.learner.id)
            write_files(Book.of(book, loaded), folder, lang)

        yield plan, remove


def _forget_plan(book: Gradebook, folder: Path, learner: LearnerRow) -> ForgetPlan:
    theirs = book.everything_of(learner.id)
    if not theirs:
        theirs = tuple(row for row in book.submissions() if row.key == learner.id and not row.learners)
    own = [row for row in theirs if len(row.learners) <= 1]
    results = (path for path in folder.glob("*.json") if _whose(path) in (learner.id, clean(learner.id)))
    files = [*results, *temporary_files(folder), *_unpacked(book, own, folder)]
    files += _kept_by_server(folder, learner)
    everywhere = {book.place(row).absolute() for row in theirs if row.path}
    if known := book.recall("collection"):
        everywhere.add(Path(str(known)))
    inside = [folder.absolute() / INTAKE, *(path.absolute() for path in files)]
    if _is_class(folder):
        everywhere.discard(folder.absolute() / INBOX)
    outside = sorted(place for place in everywhere if not any(place.is_relative_to(each) for each in inside))
    return ForgetPlan(
        learner=learner,
        submissions=tuple(row.key for row in own),
        overrides=sum(change.learner == learner.id for change in book.overrides()),
        requests=len(learner_requests.list_requests(folder, learner.id)),
        removed=tuple(sorted(files)),
        shared=tuple(row.key for row in theirs if row not in own),
        outside=tuple(path for path in outside if path.exists()),
        others=tuple(_others(folder)),
    )


def _is_class(folder: Path) -> bool:
    """Whether the folder belongs to `attncheck serve --class`, so that its inbox is a part of it."""
    return (folder / class_folder.FILE).is_file()


def _kept_by_server(folder: Path, learner: LearnerRow) -> Iterator[Path]:
    """The folders that the class server keeps for a learner: submissions with receipts, code, and the log.

    An interrupted submission may be anybody's.
    """
    if _is_class(folder):
        places = (folder / kept / portable_folder(learner.id) for kept in (INBOX, WORK))
        yield from (path for path in places if path.is_dir())
        yield from inbox.abandoned(folder / INBOX)


def _whose(path: Path) -> object:
    """The learner that a result file names; None if it is no result file."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return data.get("learner") if isinstance(data, dict) and "format" in data else None


def _unpacked(book: Gradebook, submissions: Iterable[SubmissionRow], folder: Path) -> Iterator[Path]:
    """The copies of ``submissions`` that a batch made in the folder."""
    for row in submissions:
        place = book.place(row).absolute()
        inside = folder.absolute() / INTAKE
        if place.is_relative_to(inside) and place != inside:
            yield folder / INTAKE / place.relative_to(inside).parts[0]


def _others(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        ours = path.name in _OWN or path.name.startswith(TEMPORARY_PREFIX) or audit.is_log(path)
        if not ours and not (path.suffix == ".json" and _whose(path) is not None):
            yield path


# ---------------------------------------------- overrides and deleted learners, for people and as JSON


def given_lines(given: OverrideResult, lang: Lang) -> Sequence[str]:
    """A new or removed override, and the learner's points after it."""
    return text_lines(__file__, "given.txt", lang, given=given)


@dataclass(frozen=True, slots=True)
class OverridesJson:
    """All overrides of a class.

    - `format`: 1
    - `overrides`: the overrides
    """

    format: int
    overrides: tuple[Override, ...]


def list_lines(overrides: Sequence[Override], lang: Lang) -> Iterator[str]:
    """A table of ``overrides``, or a sentence if there are none."""
    if not overrides:
        yield Message("There are no overrides.").of(lang)
        return
    rows = [
        (
            shorten(clean(change.learner), 24),
            shorten(clean(change.part), 32),
            points(change.points),
            shorten(clean(change.author), 20),
            f"{change.at:%Y-%m-%d}",
            clean(change.reason),
        )
        for change in overrides
    ]
    yield from columns([tuple(text.of(lang) for text in texts(__file__, "columns.yaml").values()), *rows], right=[2])


def forget_lines(plan: ForgetPlan, folder: Path, lang: Lang) -> Sequence[str]:
    """What will be deleted from ``folder``, and what will not."""
    return text_lines(__file__, "forgets.txt", lang, plan=plan, folder=folder, kept=texts(__file__, "kept.yaml"))

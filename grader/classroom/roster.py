"""The roster: who is in the class, and which submission belongs to whom. Nothing is guessed.

A roster is a CSV file, separated by commas, semicolons or tabs, with a heading for each column. ``id`` (or ``learner``)
is the learner's id in the gradebook; without it a student number or login is used, else the name. Every other known
column helps to match submissions: name, email, sid, login, canvas, moodle, … A gradebook exported from Canvas, and the
participants list and grading worksheet from Moodle, can be used as rosters.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from grader.classroom.gradebook import LearnerRow
from grader.classroom.intake import Person, named_person
from grader.core.errors import UsageError
from grader.core.model import Message
from grader.core.tables import table
from grader.core.text import name_list

#: In a Canvas gradebook, ``ID`` is Canvas's own number, and one row has the possible points.
_CANVAS = (["student", "id"], ["lastname", "firstname", "id"])
_NOBODY = "points possible"
_SEPARATORS = ",;\t"
#: Columns that identify a person, the most reliable first.
_IDS = ("learner", "canvas", "moodle", "sid", "email", "login")
#: Columns that give a learner's id, the best first; otherwise it is the name. E-mail addresses count only in ``id``.
_OWN = ("id", "sid", "login", "canvas")
#: One of these columns is required.
_NAMING = {"id", "name", "last", *_OWN}
#: Names with more words are not compared in other word orders.
_MOST_WORDS = 30
#: The most hours of extra time; more is considered a typing error.
_MOST_HOURS = 24 * 366


@dataclass(frozen=True, slots=True)
class Learner(LearnerRow):
    """A row of the roster. ``ids`` are (kind, value) pairs that identify the learner.

    A submission under the name of the ``group`` belongs to all its members; several groups are separated by commas.
    """

    ids: tuple[tuple[str, str], ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """The learner that ``person`` is. ``why`` is set if there is none, or more than one."""

    person: Person
    learner: Learner | None
    why: Literal["", "unknown", "ambiguous"] = ""


@dataclass(frozen=True, slots=True)
class Roster:
    """All learners of a class."""

    learners: tuple[Learner, ...]

    def match(self, person: Person) -> Match:
        """Find the learner that ``person`` is: by an id or e-mail address, else by a name that only one learner has.

        A namesake with another id or address is a different person.
        """
        by_id = {learner.id: learner for kind, value in person.ids for learner in self._known(kind, value)}
        by_id = by_id or {learner.id: learner for learner in self.learners if _logins(learner) & _said(person)}
        if by_id:
            learners = list(by_id.values())
            return Match(person, learners[0]) if len(learners) == 1 else Match(person, None, "ambiguous")
        named = [learner for learner in self.learners if _letters(person.name) in _turns(learner.name)]
        fitting = [learner for learner in named if not contradicts(person, learner)]
        if len(named) == len(fitting) == 1:
            return Match(person, named[0])
        return Match(person, None, "ambiguous" if fitting else "unknown")

    def has(self, name: str) -> bool:
        """Whether a learner is called ``name``, or has it as an id."""
        return self.match(named_person(name)).why != "unknown"

    def matches(self, person: Person) -> tuple[Match, ...]:
        """Find the learner that ``person`` is, or all members if it is the name of a group.

        Some course systems give the group's name with the id of the member who submitted.
        """
        match = self.match(person)
        called = _letters(person.name)
        members = [learner for learner in self.learners if called and called in _groups(learner)]
        if match.why == "ambiguous" or (match.learner is not None and match.learner not in members):
            return (match,)
        return tuple(Match(person, member) for member in members) or (match,)

    def _known(self, kind: str, value: str) -> Iterable[Learner]:
        return [learner for learner in self.learners if (kind, _plain(value)) in _identities(learner)]

    def missing(self, matched: Iterable[Match]) -> tuple[Learner, ...]:
        """The learners without a match."""
        there = {match.learner.id for match in matched if match.learner is not None}
        return tuple(learner for learner in self.learners if learner.id not in there)


def read_roster(path: Path) -> Roster:
    """Read a roster from a CSV file. Raises UsageError with the line and a remedy."""
    rows = _read_csv(path)
    columns = _columns(rows, path)
    learners = _unique(_apart(list(_learners(rows, columns, path))))
    if not learners:
        raise UsageError(Message("{path} has headings, but no learner below them.").fill(path=path))
    return Roster(learners)


def _read_csv(path: Path) -> list[tuple[int, list[str]]]:
    """Each row, with the number of its first line."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        said = Message("the roster {path} cannot be read: {reason}")
        raise UsageError(said.fill(path=path, reason=error.strerror)) from error
    except UnicodeDecodeError as error:
        said = Message("the roster {path} is not UTF-8 (byte {start}); save it as “CSV UTF-8”.")
        raise UsageError(said.fill(path=path, start=error.start)) from error
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=csv_separator(text))
    rows, line = [], 1
    try:
        for row in reader:
            rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        said = Message("{path}:{line_num}: this is not CSV ({error}); save it as “CSV UTF-8”.")
        raise UsageError(said.fill(path=path, line_num=reader.line_num, error=error)) from error
    return rows


def _columns(rows: Sequence[tuple[int, list[str]]], path: Path) -> list[str]:
    """The meaning of each column, "" for columns that are not used. Raises UsageError if none names a learner."""
    headings = rows[0][1] if rows else []
    plain = [_plain(cell) for cell in headings]
    canvas = any(plain[: len(first)] == first for first in _CANVAS)
    meanings = {heading: name for name, headings in table(__file__, "headings.yaml").items() for heading in headings}
    columns = ["canvas" if canvas and cell == "id" else meanings.get(cell, "") for cell in plain]
    if not _NAMING & set(columns):
        seen = name_list(f"{cell:.40}" for cell in headings[:6]) if rows else Message("an empty file")
        remedy = Message(" To use e-mail addresses as ids, rename that column to id.") if "email" in columns else ""
        said = Message("{path}:1: expected headings such as id, name, email; found {seen}.{remedy}")
        raise UsageError(said.fill(path=path, seen=seen, remedy=remedy))
    return columns


def _learners(
    rows: Sequence[tuple[int, list[str]]], columns: Sequence[str], path: Path
) -> Iterator[tuple[str, Learner]]:
    """The learner in each row, with its place for messages."""
    for line, row in rows[1:]:
        where = f"{path}:{line}"
        if not any(cell.strip() for cell in row) or _plain(row[0]) == _NOBODY:
            continue
        _check_width(row, len(columns), where)
        cells = {key: cell.strip() for key, cell in zip(columns, row, strict=False) if key and cell.strip()}
        if cells and "id" in columns and "id" not in cells:
            said = Message("{where}: expected an id, as in every line of this roster; the cell is empty.")
            raise UsageError(said.fill(where=where))
        if cells:
            yield where, _learner(cells, where)


def _unique(learners: Iterable[tuple[str, Learner]]) -> tuple[Learner, ...]:
    """The learners. Raises UsageError if two have the same id."""
    by_id: dict[str, Learner] = {}
    for where, learner in learners:
        if learner.id in by_id:
            said = Message("{where}: the id {learner} appears a second time; ids must be unique.")
            raise UsageError(said.fill(where=where, learner=f"{learner.id:.80}"))
        by_id[learner.id] = learner
    return tuple(by_id.values())


def _check_width(row: Sequence[str], width: int, where: str) -> None:
    """Raise UsageError if a row has too few or too many cells. Extra empty cells at the end are fine."""
    if len(row) < width or any(cell.strip() for cell in row[width:]):
        said = Message(
            "{where}: expected {headings} cells, as in the heading; found {row}. Quote cells that contain a "
            "separator, and fill in missing ones."
        )
        raise UsageError(said.fill(where=where, headings=width, row=len(row)))


def _apart(rows: Sequence[tuple[str, Learner]]) -> Iterator[tuple[str, Learner]]:
    """Tell learners apart whose id is their name and who share it, by another id or by a digest."""
    times = Counter(learner.id for _, learner in rows)
    for where, learner in rows:
        others = [(kind, value) for kind, value in learner.ids if kind != "learner"]
        if times[learner.id] > 1 and learner.id == learner.name and others:
            numbers = [value for kind, value in others if kind != "email" and "@" not in value]
            mark = numbers[0] if numbers else sha256(repr(others).encode()).hexdigest()[:8]
            called = f"{learner.name} ({mark})"
            learner = replace(learner, id=called, ids=(("learner", called), *others))
        yield where, learner


def csv_separator(text: str) -> str:
    """The separator of a CSV file: the most frequent of comma, semicolon and tab in its first line, outside quotes."""
    counts = dict.fromkeys(_SEPARATORS, 0)
    quoted = False
    for sign in re.finditer(r'["\r\n,;\t]', text):
        if sign[0] == '"':
            quoted = not quoted
        elif not quoted and sign[0] not in counts:
            break
        elif not quoted:
            counts[sign[0]] += 1
    return max(counts, key=counts.__getitem__)


def _full_name(first: str, last: str) -> str:
    """Both names as people write them: a Chinese name begins with the family name and has no space."""
    if any("\u4e00" <= character <= "\u9fff" for character in first + last):
        return last + first
    return " ".join(filter(None, (first, last)))


def _learner(cells: Mapping[str, str], where: str) -> Learner:
    name = cells.get("name") or _full_name(cells.get("first", ""), cells.get("last", ""))
    own = next((cells[kind] for kind in _OWN if kind in cells and (kind == "id" or "@" not in cells[kind])), name)
    if not own:
        raise UsageError(Message("{where}: expected an id or a name in this line; found none.").fill(where=where))
    try:
        extra = float(cells.get("extra", "0").removesuffix("h"))
        if not math.fabs(extra) <= _MOST_HOURS:  # also true for NaN
            raise ValueError
    except ValueError:
        said = Message("{where}: extra time is “{cells}”; expected a number of hours, such as 24.")
        raise UsageError(said.fill(where=where, cells=f"{cells['extra']:.40}")) from None
    if participant := re.fullmatch(r"\D+ (\d+)", cells.get("moodle", "")):  # "Participant 657768", in any language
        cells = {**cells, "moodle": participant[1]}
    ids = tuple((kind, cells[kind]) for kind in _IDS if kind in cells)
    return Learner(own, name or own, cells.get("section", ""), extra, (("learner", own), *ids), cells.get("group", ""))


def contradicts(person: Person, learner: Learner) -> bool:
    """Whether both have ids or addresses of the same kind, but none in common, so that they are different people."""
    theirs: dict[str, set[str]] = {}
    for kind, value in learner.ids:
        theirs.setdefault(kind, set()).add(_plain(value))
    both = [(kind, _plain(value)) for kind, value in person.ids if kind in theirs and kind != "learner"]
    return bool(both) and not any(value in theirs[kind] for kind, value in both)


def _identities(learner: Learner) -> set[tuple[str, str]]:
    """The (kind, value) pairs that identify a learner, including those that sources may give as another kind."""
    identities = {(kind, _plain(value)) for kind, value in learner.ids}
    identities |= {("learner", _plain(value)) for kind, value in learner.ids if kind in ("sid", "login", "email")}
    identities |= {("sid", _plain(learner.id))}
    return identities


def _logins(learner: Learner) -> set[str]:
    """The part of an e-mail address before the @, which may be a login."""
    return {_plain(value).partition("@")[0] for kind, value in learner.ids if kind == "email"}


def _said(person: Person) -> set[str]:
    return {_plain(value) for kind, value in person.ids if kind == "learner"}


def _turns(name: str) -> set[str]:
    """The normalised spellings of a name: without case, spaces and punctuation, in any rotation of its words."""
    words = [_letters(word) for word in name.replace(",", " ").split()]
    turns = range(len(words)) if len(words) <= _MOST_WORDS else range(1)
    return {"".join(words[start:] + words[:start]) for start in turns} - {""}


def spellings(person: Person) -> set[str]:
    """The normalised names of ``person``: the name, ids, e-mail addresses, and the logins in these."""
    values = [value for _, value in person.ids]
    logins = [value.partition("@")[0] for value in values]
    return _turns(person.name) | set(map(_letters, (*values, *logins))) - {""}


def may_abbreviate(one: str, other: str) -> bool:
    """Whether one name may abbreviate the other (“jdoe2”, “Doe, Jane”). Numbers and other scripts match any name."""
    pairs = [(a, b) for a in _alphabetic(one) for b in _alphabetic(other)]
    return any(a.isascii() != b.isascii() or _is_subsequence(a, b) or _is_subsequence(b, a) for a, b in pairs)


def _alphabetic(name: str) -> set[str]:
    """The spellings of ``name`` without digits and accents."""
    return {"".join(filter(str.isalpha, unicodedata.normalize("NFKD", turn))) for turn in _turns(name)}


def _is_subsequence(short: str, long: str) -> bool:
    """Whether ``long`` contains the letters of ``short`` in this order."""
    rest = iter(long)
    return all(letter in rest for letter in short)


def _groups(learner: Learner) -> set[str]:
    """The groups in a list, and the whole text, because a group's name may contain commas."""
    return {_letters(name) for name in (learner.group, *_plain(learner.group).split(","))}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, _plain(text)))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

"""The gradebook: the results of a class and their provenance, in one SQLite file in the results folder.

Only one process writes at a time, and a submission is saved completely or not at all: after a crash, at most the
submissions that were being written have to be graded again. The rollback journal is used instead of a write-ahead log,
because results folders may be on network drives.

A *unit* is one graded question of one submission. Its key is everything that determines the result: the *content* (the
digest of the files and the name that numbers are drawn for) and the *version* of the question (which covers the seed
and the version of attncheck). So nothing is graded twice. Equal results are stored once, because in most questions most
learners have the same result; so are equal *settings* of runs.
"""

from __future__ import annotations

import functools
import json
import os
import sqlite3
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from grader.classroom.task import EncodedResult, decode, encode, encode_answers, encode_notices
from grader.core import serialize
from grader.core.errors import GradebookError
from grader.core.model import Message, Notice, QuestionResult, Text
from grader.core.serialize import Shown, Written
from grader.core.text import clean

T = TypeVar("T")

FORMAT = 1
FILE = "gradebook.sqlite"
#: The folder beside the gradebook with copies of submissions that cannot be read in place.
INTAKE = ".intake"

#: The number of results that are cached while a gradebook is read.
_REMEMBERED = 2048

#: What SQLite raises. With a damaged file, even an error message may not be UTF-8, and a length may exceed memory.
_BROKEN = (sqlite3.DatabaseError, UnicodeDecodeError, MemoryError)
#: What reading values of unexpected types raises.
_STRANGE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, zlib.error)


@dataclass(frozen=True, slots=True)
class LearnerRow:
    """A learner in the class. ``extra_hours`` are added to due dates."""

    id: str
    name: str
    section: str = ""
    extra_hours: float = 0.0


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission. Numbers are drawn for ``seed_name``. ``error`` is the reason if it cannot be graded.

    ``at`` is the submission time, if known; ``late`` is the flag of the LMS. ``signed`` is the name in its
    answers.yaml. ``signature`` shows whether its files have changed; see ``unchanged``.
    """

    key: str
    path: str
    learners: tuple[str, ...]
    digest: str = ""
    seed_name: str = ""
    at: datetime | None = None
    late: bool = False
    attempt: int = 1
    error: Text | None = None
    signed: str | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class GradingRun:
    """How and when a submission was graded: the provenance of its units."""

    at: datetime
    seconds: float
    seed: str
    course: str
    versions: tuple[tuple[str, str], ...]
    layers: tuple[str, ...]
    unsafe: bool


@dataclass(frozen=True, slots=True)
class Override:
    """Points given by hand, which replace the points earned.

    - `learner`: whose they are
    - `part`: the item or exercise that they are for
    - `points`: the points
    - `reason`: why
    - `author`: who gave them
    - `at`: when
    """

    learner: Shown
    part: Shown
    points: float
    reason: Annotated[str, Written(functools.partial(clean, limit=2000))]
    author: Shown
    at: datetime


@dataclass(frozen=True, slots=True)
class OverrideChange:
    """A change of the override for a part of a learner; None is no override."""

    learner: str
    part: str
    before: Override | None
    after: Override | None


@dataclass(frozen=True, slots=True)
class SavedChanges:
    """Overrides that were changed together. ``undoes`` is the number of the save that this one has undone.

    ``request`` is the number of the request that they answer. ``latest`` is true if none of these overrides has been
    changed since.
    """

    number: int
    author: str
    at: datetime
    changes: tuple[OverrideChange, ...]
    undoes: int | None = None
    request: int | None = None
    latest: bool = True


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """The results of grading one submission. ``units`` are (question version, result); answers and notices are JSON."""

    row: SubmissionRow
    run: GradingRun
    units: tuple[tuple[str, EncodedResult], ...]
    answers: str
    notices: str


class Gradebook:
    """An open gradebook; see ``open_gradebook``. Methods raise GradebookError if the file cannot be used."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self._versions: dict[int, tuple[str, str]] = {}
        self._result = functools.lru_cache(_REMEMBERED)(self._read_result)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction."""
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
        except _BROKEN as error:
            raise _cannot(self.path, error) from error

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows of a query."""
        try:
            return self._connection.execute(query, values).fetchall()
        except _BROKEN as error:
            raise _cannot(self.path, error) from error

    @contextmanager
    def _understood(self, what: str) -> Iterator[None]:
        """Turn errors about values of unexpected types (in an edited or damaged file) into a GradebookError."""
        try:
            yield
        except _STRANGE as error:
            raise self._not_understood(what, error) from error

    def _not_understood(self, what: str, error: Exception) -> GradebookError:
        said = Message(
            "the gradebook {path} has content that this attncheck cannot read ({what}: {error}). Use the version "
            "that wrote it, restore it from a backup, or grade into a new folder. The file was not changed."
        )
        return GradebookError(said.fill(path=self.path, what=what, error=error))

    def copy(self, folder: Path) -> Gradebook:
        """A copy of the gradebook in ``folder``."""
        with ExitStack() as opened:
            try:
                other = sqlite3.connect(folder / FILE, isolation_level=None)
                opened.callback(other.close)
                self._connection.backup(other)
            except _BROKEN as error:
                raise _cannot(folder / FILE, error) from error
            opened.pop_all()
        return Gradebook(other, folder / FILE)

    # ---------------------------------------------------------------------------------------- class and work

    def enrol(self, learners: Iterable[LearnerRow]) -> None:
        """Add or update learners."""
        rows = [(learner.id, learner.name, learner.section, learner.extra_hours) for learner in learners]
        with self._writing() as book:
            book.executemany("INSERT OR REPLACE INTO learner VALUES (?, ?, ?, ?)", rows)

    def remove_departed(self, staying: Container[str]) -> None:
        """Delete learners who are not ``staying`` and have neither submissions nor overrides.

        This way, a roster that is added later replaces the names that the collection had for the same people.
        """
        nothing = "id NOT IN (SELECT learner FROM member) AND id NOT IN (SELECT learner FROM override)"
        with self._writing() as book:
            gone = [row for row in book.execute(f"SELECT id FROM learner WHERE {nothing}") if row[0] not in staying]
            book.executemany("DELETE FROM learner WHERE id = ?", gone)

    def learners(self) -> tuple[LearnerRow, ...]:
        """All learners, ordered by id."""
        rows = self._rows("SELECT id, name, section, extra_hours FROM learner ORDER BY id")
        with self._understood("learners"):
            return tuple(LearnerRow(*_typed(row, _TEXT, _TEXT, _TEXT, _NUMBER)) for row in rows)

    def learner(self, name: str) -> LearnerRow:
        """The learner with this id; if there is none, a learner whose name is the id."""
        rows = self._rows("SELECT id, name, section, extra_hours FROM learner WHERE id = ?", (name,))
        with self._understood("learners"):
            return LearnerRow(*_typed(rows[0], _TEXT, _TEXT, _TEXT, _NUMBER)) if rows else LearnerRow(name, name)

    def save_collection(self, submissions: Sequence[SubmissionRow]) -> None:
        """Save the submissions of a collection. Submissions that are not in it no longer count."""
        with self._writing() as book:
            book.execute("UPDATE submission SET present = 0")
            _save_rows(book, submissions)

    def add_submissions(self, submissions: Sequence[SubmissionRow]) -> None:
        """Save further submissions of the same collection."""
        with self._writing() as book:
            _save_rows(book, submissions)

    def submissions(self) -> tuple[SubmissionRow, ...]:
        """The submissions of the latest collection, ordered by key."""
        return self._submissions("WHERE present")

    def submissions_of(self, learner: str) -> tuple[SubmissionRow, ...]:
        """The submissions of a learner in the latest collection, ordered by key."""
        return self._submissions(
            "WHERE present AND key IN (SELECT submission FROM member WHERE learner = ?)",
            "WHERE submission IN (SELECT submission FROM member WHERE learner = ?)",
            (learner,),
        )

    def everything_of(self, learner: str) -> tuple[SubmissionRow, ...]:
        """All submissions of a learner, including those that no longer count."""
        return tuple(row for row in self._submissions() if learner in row.learners)

    def _submissions(
        self, which: str = "", whose: str = "", values: Sequence[object] = ()
    ) -> tuple[SubmissionRow, ...]:
        members: dict[str, list[str]] = {}
        for key, learner in self._rows(f"SELECT submission, learner FROM member {whose} ORDER BY learner", values):
            members.setdefault(key, []).append(learner)
        rows = self._rows(
            "SELECT key, path, digest, draws, at, late, attempt, error, error_zh, signed, signature "
            f"FROM submission {which} ORDER BY key",
            values,
        )
        with self._understood("submissions"):
            return tuple(_stored(row, members.get(row[0], ())) for row in rows)

    def place(self, row: SubmissionRow) -> Path:
        """The path of a submission: where it was collected, or its copy in the results folder, even after a move."""
        path = Path(row.path)
        inside = path.parts[path.parts.index(INTAKE) :] if INTAKE in path.parts else ()
        kept = self.path.parent.joinpath(*inside)
        return kept if inside and kept.exists() else path

    # ------------------------------------------------------------------------------------------------- units

    def record(
        self,
        row: SubmissionRow,
        run: GradingRun,
        units: Iterable[tuple[str, QuestionResult]],
        answers: Mapping[str, object],
        notices: Sequence[Notice],
    ) -> None:
        """Save the results of one submission: its units as (version, result), its answers, and notices about it."""
        encoded = tuple((version, encode(result)) for version, result in units)
        self.record_all([SubmissionRecord(row, run, encoded, encode_answers(answers), encode_notices(notices))])

    def record_all(
        self, graded: Sequence[SubmissionRecord], refused: Iterable[tuple[SubmissionRow, Text]] = ()
    ) -> None:
        """Save the results of several submissions, and why others could not be graded, in one transaction."""
        versions = {(result.question, version) for record in graded for version, result in record.units}
        bodies = {result.digest: result.body for record in graded for _, result in record.units}
        with self._writing() as book:
            book.executemany("INSERT INTO version (question, version) VALUES (?, ?) ON CONFLICT DO NOTHING", versions)
            book.executemany("INSERT INTO result (digest, body) VALUES (?, ?) ON CONFLICT DO NOTHING", bodies.items())
            for record in graded:
                _save(book, record)
            book.executemany(
                "UPDATE submission SET error = ?, error_zh = ? WHERE key = ?",
                [(*_both(error), row.key) for row, error in refused],
            )

    def copy_to_identical(self) -> None:
        """Copy answers, notices and errors to all submissions with the same files and the same numbers."""
        same = "FROM submission AS twin WHERE (twin.digest, twin.draws) = (submission.digest, submission.draws)"
        done, failed = f"{same} AND twin.graded", f"{same} AND twin.error IS NOT NULL"
        with self._writing() as book:
            book.execute(
                f"UPDATE submission SET answers = (SELECT answers {done}), notices = (SELECT notices {done}), "
                f"graded = 1 WHERE NOT graded AND EXISTS (SELECT 1 {done})"
            )
            book.execute(
                f"UPDATE submission SET error = (SELECT error {failed}), error_zh = (SELECT error_zh {failed}) "
                f"WHERE NOT graded AND error IS NULL AND EXISTS (SELECT 1 {failed})"
            )

    def refuse(self, row: SubmissionRow, error: Text) -> None:
        """Save the reason why a submission could not be graded."""
        self.record_all((), [(row, error)])

    def graded(self, row: SubmissionRow) -> set[tuple[str, str]]:
        """The graded questions of a submission, as (question, version)."""
        return {self._version(version) for version, *_ in self._units(row)}

    def units(self, row: SubmissionRow, versions: Mapping[str, str]) -> tuple[tuple[QuestionResult, GradingRun], ...]:
        """The units of a submission for these question versions, in the order of ``versions``, and their provenance.

        Equal results are the same object, as long as they are cached.
        """
        there = {self._version(version): (run, digest) for version, run, digest in self._units(row)}
        wanted = [(key, there[key]) for key in versions.items() if key in there]
        with self._understood(f"{row.key}, provenance"):
            runs = {run: self._run(run) for run in {run for _, (run, _) in wanted}}
        units = []
        for (question, _), (run, digest) in wanted:
            try:  # faster than ``_understood``
                units.append((self._result(digest), runs[run]))
            except _STRANGE as error:
                raise self._not_understood(f"{row.key}, {question}", error) from error
        return tuple(units)

    def _units(self, row: SubmissionRow) -> list[tuple[int, int, bytes]]:
        """The units of a submission, as (version, run, digest of the result)."""
        return self._rows(
            "SELECT unit.version, unit.run, result.digest FROM unit LEFT JOIN result ON result.id = unit.result "
            "WHERE content = (SELECT id FROM content WHERE digest = ? AND draws = ?)",
            (row.digest, row.seed_name),
        )

    def _version(self, number: int) -> tuple[str, str]:
        """The (question, version) with this row number. Cached, because versions are never deleted."""
        if number not in self._versions:
            rows = self._rows("SELECT id, question, version FROM version")
            self._versions = {row: (question, version) for row, question, version in rows}
        try:
            return self._versions[number]
        except KeyError as error:
            raise self._not_understood("versions", error) from error

    def _run(self, number: int) -> GradingRun:
        rows = self._rows(
            "SELECT at, seconds, seed, course, versions, layers, unsafe FROM run JOIN setting ON setting.id = setting "
            "WHERE run.id = ?",
            (number,),
        )
        return _run(rows[0])

    def _read_result(self, digest: bytes) -> QuestionResult:
        """The result with this digest. Raises what ``decode`` raises."""
        return decode(self._rows("SELECT body FROM result WHERE digest = ?", (digest,))[0][0])

    def answers(self, row: SubmissionRow) -> dict[str, object]:
        """The learner's answers, by item."""
        rows = self._rows("SELECT answers FROM submission WHERE key = ?", (row.key,))
        with self._understood(f"answers of {row.key}"):
            answers: dict[str, object] = dict(json.loads(rows[0][0])) if rows else {}
            return answers

    def notices(self, row: SubmissionRow) -> tuple[Notice, ...]:
        """Notices that belong in the report of a submission."""
        rows = self._rows("SELECT notices FROM submission WHERE key = ?", (row.key,))
        with self._understood(f"notices of {row.key}"):
            return tuple(serialize.load(Notice, notice) for notice in json.loads(rows[0][0])) if rows else ()

    # --------------------------------------------------------------------------------------------- overrides

    def change_overrides(
        self,
        wanted: Mapping[tuple[str, str], Override | None],
        author: str,
        at: datetime,
        *,
        undoes: int | None = None,
        request: int | None = None,
    ) -> int:
        """Save or delete (None) the overrides for these (learner, part), all or none, and record what was before.

        Returns the number of the save; see ``SavedChanges``.
        """
        before = {(change.learner, change.part): change for change in self.overrides()}
        with self._writing() as book:
            book.execute("INSERT INTO meta VALUES ('saves', '0') ON CONFLICT DO NOTHING")
            book.execute("UPDATE meta SET value = value + 1 WHERE name = 'saves'")
            number = int(book.execute("SELECT value FROM meta WHERE name = 'saves'").fetchone()[0])
            for key, after in wanted.items():
                if after is None:
                    book.execute("DELETE FROM override WHERE learner = ? AND part = ?", key)
                else:
                    row = (*key, after.points, after.reason, after.author, after.at.isoformat())
                    book.execute("INSERT OR REPLACE INTO override VALUES (?, ?, ?, ?, ?, ?)", row)
                kept = (_override_json(before.get(key)), _override_json(after))
                columns = "save, learner, part, before, after, author, at, undoes, request"
                book.execute(
                    f"INSERT INTO change ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (number, *key, *kept, author, at.isoformat(), undoes, request),
                )
        return number

    def saves(
        self, most: int, *, before: int | None = None, part: str | None = None, author: str | None = None
    ) -> tuple[SavedChanges, ...]:
        """The latest ``most`` saves of overrides, the last one first: those below the number ``before``.

        With ``part``, only those that changed overrides for it; with ``author``, only theirs.
        """
        numbers = self._rows(
            "SELECT DISTINCT save FROM change WHERE save < ? AND part = coalesce(?, part) "
            "AND author = coalesce(?, author) ORDER BY save DESC LIMIT ?",
            (2**62 if before is None else before, part, author, most),
        )
        return tuple(saved for (number,) in numbers if (saved := self.find_save(number)) is not None)

    def find_save(self, number: int) -> SavedChanges | None:
        """The save with this number; None if there is none."""
        rows = self._rows(
            "SELECT learner, part, before, after, author, at, undoes, request, EXISTS (SELECT 1 FROM change AS later "
            "WHERE later.learner = change.learner AND later.part = change.part AND later.save > change.save) "
            "FROM change WHERE save = ? ORDER BY id",
            (number,),
        )
        if not rows:
            return None
        with self._understood("changes of points given by hand"):
            changes = tuple(
                OverrideChange(
                    learner, part, _override_from(learner, part, before), _override_from(learner, part, after)
                )
                for learner, part, before, after, *_ in rows
            )
            author, at, undoes, request = rows[0][4:8]
            latest = not any(row[8] for row in rows)
            return SavedChanges(number, author, datetime.fromisoformat(at), changes, undoes, request, latest)

    def overrides(self) -> tuple[Override, ...]:
        """All overrides, ordered by learner and part."""
        rows = self._rows("SELECT learner, part, points, reason, author, at FROM override ORDER BY learner, part")
        with self._understood("points given by hand"):
            return tuple(map(_override, rows))

    # ------------------------------------------------------------------------------------------------- facts

    def remember(self, name: str, value: object) -> None:
        """Save a fact about the whole gradebook, as JSON."""
        self.remember_all({name: value})

    def remember_all(self, facts: Mapping[str, object]) -> None:
        """Save several facts in one transaction."""
        rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in facts.items()]
        with self._writing() as book:
            book.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def recall(self, name: str) -> object:
        """The value of a fact; None if there is none."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", (name,))
        with self._understood(name):
            value: object = json.loads(rows[0][0]) if rows else None
            return value

    def fact(self, name: str, kind: type[T]) -> T | None:
        """The value of a fact as a ``kind``; None if there is none. Raises GradebookError if it has another type."""
        value = self.recall(name)
        with self._understood(name):
            return None if value is None else serialize.load(kind, value)

    def table(self, name: str, kind: type[T]) -> dict[str, T]:
        """The value of a fact that is a map from names to ``kind``; empty if there is none."""
        values: Any = self.recall(name) or {}
        with self._understood(name):
            return {question: serialize.load(kind, value) for question, value in values.items()}

    def forget(self, learner: str) -> bool:
        """Delete a learner and everything that is theirs alone. Returns whether there was anything.

        ``learner`` may also be the key of a submission that belongs to nobody in the class.
        """
        with self._writing() as book:
            keys = [row[0] for row in book.execute("SELECT submission FROM member WHERE learner = ?", (learner,))]
            gone = book.execute("DELETE FROM learner WHERE id = ?", (learner,)).rowcount > 0 or bool(keys)
            book.execute("DELETE FROM member WHERE learner = ?", (learner,))
            book.execute("DELETE FROM override WHERE learner = ?", (learner,))
            book.execute("DELETE FROM change WHERE learner = ?", (learner,))
            alone = "DELETE FROM submission WHERE key = ? AND key NOT IN (SELECT submission FROM member)"
            for key in keys or [learner]:
                gone |= book.execute(alone, (key,)).rowcount > 0
            book.execute("DELETE FROM content WHERE (digest, draws) NOT IN (SELECT digest, draws FROM submission)")
            book.execute("DELETE FROM unit WHERE content NOT IN (SELECT id FROM content)")
            book.execute("DELETE FROM result WHERE id NOT IN (SELECT result FROM unit)")
            book.execute("DELETE FROM run WHERE id NOT IN (SELECT run FROM unit)")
            book.execute("DELETE FROM setting WHERE id NOT IN (SELECT setting FROM run)")
        self._rows("VACUUM")  # deleted rows must not remain in the file
        return gone


_TEXT, _MAYBE, _WHOLE, _NUMBER = (str,), (str, type(None)), (int,), (int, float)


_SAVE_ROW = """
INSERT INTO submission (key, path, digest, draws, at, late, attempt, error, error_zh, signed, signature)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET path = excluded.path,
  graded = graded AND (digest, draws) = (excluded.digest, excluded.draws),
  digest = excluded.digest, draws = excluded.draws, at = excluded.at, late = excluded.late,
  attempt = excluded.attempt, error = excluded.error, error_zh = excluded.error_zh, present = 1,
  signed = excluded.signed, signature = excluded.signature
"""


def _save_rows(book: sqlite3.Connection, submissions: Iterable[SubmissionRow]) -> None:
    for row in submissions:
        at = row.at.astimezone(UTC).isoformat() if row.at else None
        facts = (row.key, row.path, row.digest, row.seed_name, at, row.late, row.attempt)
        book.execute(_SAVE_ROW, (*facts, *_both(row.error), row.signed, row.signature))
        book.execute("DELETE FROM member WHERE submission = ?", (row.key,))
        book.executemany("INSERT INTO member VALUES (?, ?)", [(row.key, learner) for learner in row.learners])


def _save(book: sqlite3.Connection, graded: SubmissionRecord) -> None:
    """Save one submission. Its question versions and results have been saved before."""
    run = graded.run
    setting = (run.seed, run.course, json.dumps(run.versions), json.dumps(run.layers), run.unsafe)
    columns = "seed, course, versions, layers, unsafe"
    book.execute(f"INSERT INTO setting ({columns}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", setting)
    cursor = book.execute(
        "INSERT INTO run (at, seconds, setting) VALUES "
        f"(?, ?, (SELECT id FROM setting WHERE ({columns}) = (?, ?, ?, ?, ?)))",
        (run.at.astimezone(UTC).isoformat(), run.seconds, *setting),
    )
    content = (graded.row.digest, graded.row.seed_name)
    book.execute("INSERT INTO content (digest, draws) VALUES (?, ?) ON CONFLICT DO NOTHING", content)
    book.executemany(
        "INSERT OR REPLACE INTO unit VALUES ((SELECT id FROM content WHERE digest = ? AND draws = ?), "
        "(SELECT id FROM version WHERE question = ? AND version = ?), ?, (SELECT id FROM result WHERE digest = ?))",
        [(*content, result.question, version, cursor.lastrowid, result.digest) for version, result in graded.units],
    )
    book.execute(
        "UPDATE submission SET answers = ?, notices = ?, graded = 1 WHERE key = ?",
        (graded.answers, graded.notices, graded.row.key),
    )


def _typed(row: Sequence[Any], *kinds: tuple[type, ...]) -> Sequence[Any]:
    """The row. Raises TypeError unless its values have these types, which SQLite does not enforce."""
    for value, kind in zip(row, kinds, strict=True):
        if not isinstance(value, kind):
            raise TypeError(f"{value!r:.60} is not {kind[0].__name__}")
    return row


def _override_json(change: Override | None) -> str | None:
    if change is None:
        return None
    return json.dumps([change.points, change.reason, change.author, change.at.isoformat()], ensure_ascii=False)


def _override_from(learner: str, part: str, data: str | None) -> Override | None:
    return None if data is None else _override((learner, part, *json.loads(data)))


def _override(row: Sequence[Any]) -> Override:
    """The override in a row with the columns of the table."""
    learner, part, points, reason, author, at = _typed(row, _TEXT, _TEXT, _NUMBER, _TEXT, _TEXT, _TEXT)
    return Override(learner, part, points, reason, author, datetime.fromisoformat(at))


def _stored(row: Sequence[Any], learners: Sequence[str]) -> SubmissionRow:
    kinds = (_TEXT, _TEXT, _TEXT, _TEXT, _MAYBE, _WHOLE, _WHOLE, _MAYBE, _MAYBE, _MAYBE, _TEXT)
    key, path, digest, draws, at, late, attempt, error, zh, signed, signature = _typed(row, *kinds)
    when = datetime.fromisoformat(at) if at else None
    why = None if error is None else Text(*_typed((error, zh), _TEXT, _TEXT))
    members = tuple(_typed(learners, *[_TEXT] * len(learners)))
    if not all(members):
        raise ValueError("a learner without an id")
    return SubmissionRow(key, path, members, digest, draws, when, bool(late), attempt, why, signed, signature)


def _both(error: Text | None) -> tuple[str | None, str | None]:
    return (None, None) if error is None else (error.en, error.zh)


def _run(row: Sequence[Any]) -> GradingRun:
    at, seconds, seed, course, versions, layers, unsafe = _typed(
        row, _TEXT, _NUMBER, _TEXT, _TEXT, _TEXT, _TEXT, _WHOLE
    )
    return GradingRun(
        datetime.fromisoformat(at),
        float(seconds),
        seed,
        course,
        serialize.load(tuple[tuple[str, str], ...], json.loads(versions)),
        serialize.load(tuple[str, ...], json.loads(layers)),
        bool(unsafe),
    )


def change_token(folder: Path) -> bytes:
    """A token that changes with every change of the gradebook in ``folder``; empty if there is none.

    It consists of SQLite's change counter and the identity and size of the file.
    """
    try:
        with (folder / FILE).open("rb") as file:
            about = os.fstat(file.fileno())
            return file.read(28)[24:] + f" {about.st_dev} {about.st_ino} {about.st_size}".encode()
    except OSError:
        return b""


def open_gradebook(folder: Path, *, create: bool = False, read_only: bool = False) -> Gradebook:
    """Open the gradebook in ``folder``. Raises GradebookError if it does not exist or cannot be used.

    With ``create``, a missing gradebook is created. If ``read_only``, later changes raise GradebookError.
    """
    path = folder / FILE
    if not create and not path.is_file():
        said = Message("{folder} has no {file}.").with_advice(
            Message("Expected a folder written by `attncheck batch --out`.")
        )
        raise GradebookError(said.fill(folder=folder, file=FILE))
    with ExitStack() as opened:
        try:
            connection = sqlite3.connect(path, timeout=5.0, isolation_level=None)
            opened.callback(connection.close)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            if create and _is_empty(connection):
                _begin(connection)
            _check_format(connection, path)
            if read_only:
                connection.execute("PRAGMA query_only = ON")
        except _BROKEN as error:
            raise _cannot(path, error) from error
        opened.pop_all()
    return Gradebook(connection, path)


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise GradebookError if the file is empty, or has a format that this version does not write."""
    if _is_empty(connection):
        empty = Message("{path} is empty.").with_advice(Message("Run `attncheck batch` again to continue."))
        raise GradebookError(empty.fill(path=path))
    row = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
    written = str(row[0]) if row else "none"
    if written != str(FORMAT):
        newer = written.isdecimal() and len(written) < 9 and int(written) > FORMAT
        said = Message("{path} has format {found}; this attncheck writes {format}. {todo}")
        todo = Message("Update attncheck.") if newer else Message("Grade into a new folder.")
        raise GradebookError(said.fill(path=path, found=f"{written:.40}", format=FORMAT, todo=todo))


def _begin(connection: sqlite3.Connection) -> None:
    """Create the tables, unless another process has done so meanwhile."""
    with connection:
        connection.execute("BEGIN EXCLUSIVE")  # no other process can read
        if _is_empty(connection):
            schema = Path(__file__).with_suffix(".sql").read_text("utf-8")
            for statement in filter(str.strip, schema.split(";")):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES ('format', ?)", (json.dumps(FORMAT),))


def _is_empty(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0)


def _cannot(path: Path, error: Exception) -> GradebookError:
    message = "out of memory" if isinstance(error, MemoryError) else str(error)
    remedy = next((remedy for word, remedy in _REMEDIES.items() if word in message), None)
    remedy = remedy or Message("restore it from a backup, or grade into a new folder; the file was not changed")
    said = Message("the gradebook {path} cannot be used ({said}): {remedy}.")
    return GradebookError(said.fill(path=path, said=message, remedy=remedy))


_FAILS = Message(
    "the disk or your quota is full, or a network folder is unavailable or cannot lock files: free some space, "
    "or grade into a folder on this machine, and run the same command again; earlier results are saved"
)
_READ_ONLY = Message("make its folder writable, or use another folder")
_NO_MEMORY = Message(
    "close other programs, and run the same command again: earlier results are saved; if that does not help, the file "
    "is damaged: restore it from a backup, or grade into a new folder"
)
#: What to do, by a part of SQLite's message.
_REMEDIES = {
    "database is locked": Message("another process is using it; wait until it finishes"),
    "out of memory": _NO_MEMORY,
    "is full": Message("free some space, and run the same command again: earlier results are saved"),
    "disk I/O": _FAILS,
    "locking protocol": _FAILS,
    "readonly": _READ_ONLY,
    "unable to open": _READ_ONLY,
}

"""The learner's log: one line of JSON per event, appended and never changed (docs/state.md).

What was written stays, whatever happens. An append is one write under a lock. A line that a crash cut short is skipped
when reading, and terminated by the next append. A file that cannot be parsed is left untouched.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import io
import json
import os
import stat
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from grader.core.errors import StateError, UsageError
from grader.core.files import user_folder
from grader.core.model import Lang, Message, Status, Text
from grader.core.serialize import load
from grader.core.text import clean_name

Rating: TypeAlias = Literal["again", "hard", "good", "easy"]

FORMAT = 1
#: Terminates a line that was cut short. No complete line can end like this.
_TORN = b" #torn"
#: The byte-order mark that some editors write.
_MARK = b"\xef\xbb\xbf"
_ELSEWHERE = Message("use `--state F` (or `ATTNCHECK_STATE`) to continue with another file")
_FIX_LINE = Message(
    "Fix or delete this line in an editor (docs/state.md describes the format); until then, {elsewhere}."
)
_UNCHANGED = Message("Nothing was changed.")


@dataclass(frozen=True, slots=True)
class _Entry:
    """What every event has: when it happened, and the course that it is about."""

    at: datetime
    course: str


@dataclass(frozen=True, slots=True)
class Answered(_Entry):
    """An item was answered; ``fraction`` is the correct share. ``settled``: no attempts are left, or none is needed."""

    item: str
    value: Any
    fraction: float
    status: Status
    misconception: str | None
    attempt: int
    settled: bool


@dataclass(frozen=True, slots=True)
class Explained(_Entry):
    """Beside the model answer, a learner ticked which of an item's key points their own answer made.

    ``said`` are these points (a, b …), ``points`` is how many there are.
    """

    item: str
    said: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Skipped(_Entry):
    """An item was skipped."""

    item: str


@dataclass(frozen=True, slots=True)
class Hinted(_Entry):
    """A hint for an exercise was shown; the first ``rung`` is 1."""

    exercise: str
    rung: int


@dataclass(frozen=True, slots=True)
class Coded(_Entry):
    """An exercise was graded."""

    exercise: str
    status: Status
    misconception: str | None


@dataclass(frozen=True, slots=True)
class Reviewed(_Entry):
    """A card (an item's id or an exercise's name) was reviewed, and rated by how well it was known."""

    card: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class Named(_Entry):
    """From here on, the learner is called ``learner``.

    It is another learner if ``separate``, with events of their own before and after; else the same one has a new name.
    """

    learner: str
    separate: bool = False


@dataclass(frozen=True, slots=True)
class Spoke(_Entry):
    """The language was set."""

    lang: Lang


Event: TypeAlias = Answered | Explained | Skipped | Hinted | Coded | Reviewed | Named | Spoke


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def place(chosen: Path | None) -> Path:
    """The path of the log: ``chosen``, else ATTNCHECK_STATE, else progress.jsonl in the user's data folder.

    Raises StateError if there is no home folder to put it in.
    """
    if chosen is not None:
        return chosen
    named = os.environ.get("ATTNCHECK_STATE")
    if named:
        return Path(named)
    folder = user_folder("data")
    if folder is None:
        said = Message("You have no home folder (HOME is not set), so nothing can be saved; {elsewhere}.")
        raise StateError(said.fill(elsewhere=_ELSEWHERE))
    return folder / "progress.jsonl"


# --------------------------------------------------------------------------------------------- reading


def read(path: Path, course_id: str) -> tuple[Event, ...]:
    """The events of the learner who was named last, in one course; see ``read_all``, which raises the same errors."""
    return of_last(read_all(path, course_id))


def of_last(events: Sequence[Event]) -> tuple[Event, ...]:
    """Those of ``events`` that are about the learner who was named last."""
    return of(events, last_name(events))


def of(events: Sequence[Event], learner: str | None) -> tuple[Event, ...]:
    """Those of ``events`` that are about ``learner``: all, as long as nobody else was named."""
    others = any(isinstance(event, Named) and event.separate for event in events)
    if not others and last_name(events) in (None, learner):
        return tuple(events)
    return by_learner(events).get(learner, ())


def last_name(events: Sequence[Event]) -> str | None:
    """The name that was set last; None if there is none."""
    return next((event.learner for event in reversed(events) if isinstance(event, Named)), None)


def by_learner(events: Sequence[Event]) -> dict[str | None, tuple[Event, ...]]:
    """The events of each learner, by the name that they have now; None for a learner without one."""
    events_of: dict[str | None, list[Event]] = {}
    name: str | None = None
    for event in events:
        if isinstance(event, Named):
            if not event.separate and event.learner != name:
                events_of.setdefault(event.learner, []).extend(events_of.pop(name, ()))
            name = event.learner
        events_of.setdefault(name, []).append(event)
    return {name: tuple(own) for name, own in events_of.items()}


def naming(events: Sequence[Event], course_id: str, learner: str) -> tuple[Named, ...]:
    """What has to be appended to ``events`` so that what follows is about ``learner``; nothing if it is already.

    The first name is for what came before it, too. A further one is another learner's.
    """
    last = last_name(events)
    return () if last == learner else (Named(now(), course_id, learner, separate=last is not None),)


_NUMBERS = Message(
    "Your progress stays. Items with personal numbers now have different numbers; earlier answers keep their points."
).with_advice(Message("For someone else to start from the beginning here, use `attncheck quiz --learner NAME`."))
_RETURNED = Message("From now on you continue with the progress of {name}.").with_advice(
    Message("`attncheck name {before}` goes back.")
)


def rename(events: Sequence[Event], course_id: str, before: str | None, typed: str) -> tuple[Named, tuple[Text, ...]]:
    """What to append to the ``events`` of all learners, and what to tell the one who was called ``before``.

    A name that another learner here has continues with their progress. Raises UsageError if nothing was typed.
    """
    name = clean_name(typed)
    if not name:
        raise UsageError(Message("The name is empty; give one with at least one letter or number."))
    returns = name in by_learner(events)
    said: list[Text] = [Message("Your name is now {name}.").fill(name=name)]
    if before not in (None, name):
        said.append(_RETURNED.fill(name=name, before=before) if returns else _NUMBERS)
    return Named(now(), course_id, name, separate=returns), tuple(said)


def read_all(path: Path, course_id: str) -> tuple[Event, ...]:
    """The events of one course, of all learners, in file order; empty if there is no file yet.

    Raises StateError if the file cannot be read, or a line of it cannot be parsed.
    """
    try:
        kept = stat.S_ISREG(path.stat().st_mode) or path.is_dir()
        raw = path.read_bytes() if kept else b""  # /dev/null saves nothing
    except FileNotFoundError:
        return ()
    except OSError as error:
        said = Message("{path} cannot be read: {reason}.").with_advice(_sentence(_ELSEWHERE))
        raise StateError(said.fill(path=path, reason=error.strerror)) from error
    *lines, last = raw.removeprefix(_MARK).split(b"\n")
    events = [_line(path, number, line, course_id) for number, line in enumerate(lines, 1) if line.strip()]
    _, event = _unfinished(path, lines, last, course_id)
    return tuple(event for event in (*events, event) if event is not None)


class Reader:
    """Reads a log again and again. As a log is only ever appended to, lines that were read before are not parsed again.

    Several threads may use it.
    """

    def __init__(self, path: Path, course_id: str) -> None:
        self._path, self._course = path, course_id
        self._alone = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._file: tuple[int, ...] = ()
        self._size = self._lines = 0
        self._events: tuple[Event, ...] = ()

    def events(self) -> tuple[Event, ...]:
        """What ``read_all`` returns, and raises."""
        with self._alone:
            try:
                now = self._path.stat()
            except OSError:
                self._forget()
                return read_all(self._path, self._course)
            if (now.st_dev, now.st_ino) != self._file or now.st_size < self._size:
                self._forget()
                self._file = now.st_dev, now.st_ino
            if now.st_size > self._size and not self._read_on():
                return read_all(self._path, self._course)
            return self._events

    def _read_on(self) -> bool:
        """Read the lines that were added. False if the last one is not complete, or the file is not a usual one."""
        if not self._path.is_file():
            return False
        with self._path.open("rb") as file:
            file.seek(self._size)
            raw = file.read()
        *lines, last = raw.split(b"\n")
        if last.strip():
            return False
        if self._size == 0 and lines:
            lines[0] = lines[0].removeprefix(_MARK)
        numbered = enumerate(lines, self._lines + 1)
        found = [_line(self._path, number, line, self._course) for number, line in numbered if line.strip()]
        self._events = (*self._events, *(event for event in found if event is not None))
        self._size += len(raw) - len(last)
        self._lines += len(lines)
        return True


def _unfinished(path: Path, lines: list[bytes], last: bytes, course_id: str) -> tuple[bool, Event | None]:
    """Whether the last line was cut short, and its event if only the newline is missing.

    If the file has no other line, this one must at least begin like an event.
    """
    ours = any(map(bytes.strip, lines)) or not last.strip() or last.lstrip().startswith(b"{")
    try:
        json.loads(last.decode())
    except (ValueError, RecursionError):
        if ours:
            return True, None
    return False, _line(path, len(lines) + 1, last, course_id)


def _line(path: Path, number: int, line: bytes, course_id: str) -> Event | None:
    """The event on a line; None if it belongs to another course or was cut short. Raises StateError."""
    begins = line.rstrip().removesuffix(_TORN)
    # A line that was cut short begins like any other; the first one tells whether the file is ours.
    if begins != line.rstrip() and (number > 1 or begins.lstrip().startswith(b"{")):
        return None
    try:
        entry = json.loads(line.decode())
        if not isinstance(entry, dict):
            raise ValueError("expected an object in braces")
        _check_format(entry)
        if entry.get("course") != course_id and isinstance(entry.get("course"), str):
            return None
        name = entry.get("event")
        if not isinstance(name, str) or name not in _KINDS:
            raise ValueError(f"found {_short(name)} as “event”; expected one of {', '.join(_KINDS)}")
        return _KINDS[name](**{field: _value(entry, field, form, default) for field, form, default in _fields(name)})
    except _Newer as newer:
        raise StateError(
            Message("{path}, line {number}: {newer}; this attncheck reads format {format}. Update attncheck;")
            .with_advice(Message("until then, {elsewhere}."), after=_UNCHANGED)
            .fill(path=path, number=number, newer=newer, format=FORMAT, elsewhere=_ELSEWHERE)
        ) from None
    except (ValueError, RecursionError) as error:
        unread = isinstance(error, json.JSONDecodeError | UnicodeError | RecursionError)
        reason = "not a line of JSON" if unread else str(error)
        said = Message("{path}, line {number}: {said}.").with_advice(_FIX_LINE, after=_UNCHANGED)
        raise StateError(said.fill(path=path, number=number, said=reason, elsewhere=_ELSEWHERE)) from None


class _Newer(Exception):
    """The line was written by a later version of attncheck."""


def _check_format(entry: Mapping[str, Any]) -> None:
    form = entry.get("format")
    if type(form) is not int or form < 1:
        raise ValueError(f"found {_short(form)} as “format”; expected {FORMAT}")
    if form > FORMAT:
        raise _Newer(f"written in format {form}, by a later version")


#: The classes of events by their names in the file.
_KINDS: Mapping[str, type[Event]] = MappingProxyType({kind.__name__.lower(): kind for kind in get_args(Event)})
#: For people, what a field of each type may hold. Whole numbers count something, and other numbers are shares.
_EXPECTED: Mapping[Any, str] = MappingProxyType(
    {
        datetime: "a time such as 2026-03-01T09:30:00Z",
        str: "a text",
        str | None: "a text or null",
        int: "a whole number from 1",
        float: "a number from 0 to 1",
        bool: "true or false",
        tuple[str, ...]: "a list of texts",
        Status: f"one of {', '.join(Status)}",
        Rating: f"one of {', '.join(get_args(Rating))}",
        Lang: f"one of {', '.join(get_args(Lang))}",
    }
)


@functools.cache
def _fields(name: str) -> tuple[tuple[str, Any, Any], ...]:
    """The name, type and default of each field of the events called ``name``."""
    kind = _KINDS[name]
    types = get_type_hints(kind)
    return tuple((field.name, types[field.name], field.default) for field in dataclasses.fields(kind))


def _value(entry: Mapping[str, Any], field: str, form: Any, default: Any) -> Any:
    """The value of a field of type ``form``. Raises ValueError, which says what was expected."""
    data = entry.get(field)
    if form is Any:
        return data
    if data is None and default is not dataclasses.MISSING:
        return default
    try:
        if form is datetime:
            return _time(load(str, data))
        value = load(form, data)
        if (form is int and value < 1) or (form is float and not 0 <= value <= 1):
            raise ValueError
        return value
    except (ValueError, OverflowError):
        found = _short(data) if field in entry else "nothing"
        raise ValueError(f"found {found} as “{field}”; expected {_EXPECTED[form]}") from None


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _short(value: object) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 40 else written[:39] + "…"


def _sentence(text: Text) -> Text:
    return Text(text.en[0].upper() + text.en[1:] + ".", text.zh + "。")


# ------------------------------------------------------------------------------------------- appending


def append(path: Path, *events: Event) -> None:
    """Appends ``events`` to the log, all of them or none. Raises StateError if they cannot be written."""
    if not events:
        return
    text = "".join(_text(event) + "\n" for event in events)
    # Lone surrogates, which a terminal produces for undecodable bytes, are written as JSON escapes.
    data = text.encode(errors="backslashreplace")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Only its owner can read a new file.
        with (
            open(path, "ab+", 0, opener=lambda name, flags: os.open(name, flags, 0o600)) as file,
            _locked(file.fileno()),
        ):
            _write(file, _closing(path, file) + data)
    except OSError as error:
        raise StateError(
            Message("{path} cannot be written: {reason}. Earlier entries are still there.")
            .with_advice(Message("Free some space, make the file writable, or {elsewhere}."))
            .fill(path=path, reason=error.strerror or error, elsewhere=_ELSEWHERE)
        ) from error


def _text(event: Event) -> str:
    kind = type(event).__name__.lower()
    at = event.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    entry = {"format": FORMAT, "at": at, "course": event.course, "event": kind}
    entry |= {name: getattr(event, name) for name, _, _ in _fields(kind) if name not in entry}
    return json.dumps(entry, ensure_ascii=False, separators=(", ", ": "), default=str)


#: Matches no course, so ``_line`` only checks whether a line is one of ours.
_NO_COURSE = ""


#: In bytes. The longest answer, escaped, takes a tenth of it: a longer first line is another program's.
_LONGEST_LINE = 1 << 20


def _closing(path: Path, file: io.FileIO) -> bytes:
    """What to write first to terminate a line that was cut short; empty if the file ends with a complete line."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    first = next(filter(bytes.strip, iter(lambda: file.readline(_LONGEST_LINE), b"")), b"")
    if first.endswith(b"\n") or size >= len(first) == _LONGEST_LINE:
        _line(path, 1, first.removeprefix(_MARK), _NO_COURSE)  # raises for a file that is not a log
    file.seek(max(0, size - 1))
    if size == 0 or file.read(1) == b"\n":
        return b""
    file.seek(0)
    *lines, last = file.read().removeprefix(_MARK).split(b"\n")
    torn, _ = _unfinished(path, lines, last, _NO_COURSE)
    return (_TORN if torn and last.strip() else b"") + b"\n"


def _write(file: io.FileIO, data: bytes) -> None:
    """Writes ``data`` at the end in one call and syncs it; if it does not all fit, none of it stays."""
    size = file.seek(0, os.SEEK_END)
    try:
        if file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        with contextlib.suppress(OSError):
            file.truncate(size)
        raise
    with contextlib.suppress(OSError):  # /dev/null and some network folders cannot be synced
        os.fsync(file.fileno())


@contextlib.contextmanager
def _locked(handle: int) -> Iterator[None]:
    """Holds an exclusive advisory lock on an open file; the system releases it when the process ends."""
    if sys.platform == "win32":  # pragma: no cover
        import msvcrt  # Windows only

        os.lseek(handle, 1 << 30, os.SEEK_SET)  # a byte that is never read
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        yield  # closing the file releases the lock
        return
    import fcntl  # not on Windows

    with contextlib.suppress(OSError):  # no locks in this folder: a single append is atomic anyway
        fcntl.flock(handle, fcntl.LOCK_EX)
    yield

"""Files of records, one line of JSON for each record (JSON Lines). Lines are only appended, under a lock.

A line that a crash cut short is skipped when the file is read, and ended by the next append. Records are removed only
when a person is to be forgotten.

A file that is *rotated* continues in a new file when it is full: ``audit.jsonl`` becomes ``audit.1.jsonl``, the next
one ``audit.2.jsonl``. Such a file is read from the end, a part at a time; see ``read_back``.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from filelock import FileLock, Timeout

from grader.core.errors import UsageError
from grader.core.files import size, write
from grader.core.model import Message

Record: TypeAlias = Mapping[str, Any]

#: Seconds to wait for another process, whose append takes milliseconds.
_LOCK_TIMEOUT = 10.0
_CANNOT = Message(
    "{path} cannot be written ({reason}); free some space or make it writable, and try again. Earlier entries are "
    "still there."
)
_BUSY = Message("another process is using it")


def read(path: Path) -> tuple[dict[str, Any], ...]:
    """All records of a file in order; empty if it does not exist. Raises UsageError if it cannot be read."""
    try:
        return _records(path.read_bytes())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise _unreadable(path, error) from error


def _records(data: bytes) -> tuple[dict[str, Any], ...]:
    records = []
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):  # a line that was cut short
            record = json.loads(line)
            if isinstance(record, dict):
                records.append(record)
    return tuple(records)


def _unreadable(path: Path, error: OSError) -> UsageError:
    message = Message("{path} cannot be read ({reason}).")
    return UsageError(message.fill(path=path, reason=error.strerror))


def append(path: Path, make: Callable[[tuple[dict[str, Any], ...]], Record]) -> Record:
    """Append the record that ``make`` returns when called with the existing records, and return it.

    The file is locked meanwhile. Raises UsageError if it cannot be written, and whatever ``make`` raises.
    """
    with _alone(path):
        record = make(read(path))
        _write(path, record)
        return record


def add(path: Path, record: Record, *, full: int | None = None) -> None:
    """Append a record without reading the existing ones. Raises UsageError if it cannot be written.

    With ``full``, a file of that many bytes is rotated first.
    """
    with _alone(path):
        if full is not None and size(path) >= full:
            last = max(map(_number, rotated(path)), default=0)
            path.rename(_segment(path, last + 1))
        _write(path, record)


# ------------------------------------------------------------------------------------------ rotated files


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a rotated file: ``offset`` in bytes in the segment with this number."""

    segment: int
    offset: int


def rotated(path: Path) -> tuple[Path, ...]:
    """The earlier segments of a rotated file, oldest first."""
    segments = path.parent.glob(f"{path.stem}.*{path.suffix}")
    return tuple(sorted((segment for segment in segments if _number(segment)), key=_number))


def segments(path: Path) -> tuple[Path, ...]:
    """All segments of a file, oldest first, whether it was rotated or not. The last one may not exist."""
    return (*rotated(path), path)


def _segment(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _number(segment: Path) -> int:
    """The number in the name of an earlier segment; 0 if there is none."""
    number = segment.name.removesuffix(segment.suffix).rpartition(".")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def read_back(
    path: Path, before: Place | None, most: int, read_at: Callable[[IO[bytes], int, int], bytes] | None = None
) -> tuple[list[dict[str, Any]], Place | None]:
    """The records in about the last ``most`` bytes before a place (None: the end), and the place before them.

    The records are in order; the place is None if there are no earlier ones. Reads at most ``most`` bytes with
    ``read_at``, and never skips a record: one that is longer is read whole. Raises UsageError if a segment cannot be
    read.
    """
    read_at = read_at or _read_at
    newest = max(map(_number, rotated(path)), default=0) + 1
    place = before or Place(newest, size(path))
    if not 1 <= place.segment <= newest:
        return [], None
    file = path if place.segment == newest else _segment(path, place.segment)
    try:
        with open(file, "rb", buffering=0) as opened:
            end = min(place.offset, os.fstat(opened.fileno()).st_size)
            start = max(0, end - most)
            data = read_at(opened, end - start, start)
            while start and b"\n" not in data[:-1]:  # a record that is longer than what may be read
                more = min(start, most)
                start -= more
                data = read_at(opened, more, start) + data
    except FileNotFoundError:
        start, data = 0, b""
    except OSError as error:
        raise _unreadable(file, error) from error
    if start:
        cut = data.index(b"\n") + 1
        start, data = start + cut, data[cut:]
    earlier = Place(place.segment, start) if start else _end_of(path, place.segment - 1)
    return list(_records(data)), earlier


def _end_of(path: Path, number: int) -> Place | None:
    """The end of the last segment that exists, at or before this number."""
    earlier = [segment for segment in rotated(path) if _number(segment) <= number]
    return Place(_number(earlier[-1]), size(earlier[-1])) if earlier else None


def _read_at(file: IO[bytes], size: int, start: int) -> bytes:
    file.seek(start)
    return file.read(size)


def _write(path: Path, record: Record) -> None:
    data = _line(record)
    with open(path, "ab+", buffering=0) as file:
        if file.tell() and _read_at(file, 1, file.tell() - 1) != b"\n":
            data = b"\n" + data
        file.write(data)
        os.fsync(file.fileno())


def _line(record: Record) -> bytes:
    """A record as a line. What UTF-8 does not have, such as half a pair of surrogates, becomes an escape of JSON."""
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def remove(path: Path, which: Callable[[Record], bool]) -> int:
    """Rewrite the file, with all its segments, without the records that ``which`` selects. Returns their number."""
    if not any(segment.exists() for segment in segments(path)):
        return 0
    with _alone(path):
        return sum(_without(segment, which) for segment in segments(path))


def _without(path: Path, which: Callable[[Record], bool]) -> int:
    records = read(path)
    kept = [record for record in records if not which(record)]
    if len(kept) < len(records):
        try:
            write(path, b"".join(map(_line, kept)))
        except OSError as error:
            raise UsageError(_CANNOT.fill(path=path, reason=error.strerror)) from error
    return len(records) - len(kept)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Locks a file. Raises UsageError if that fails, or if it cannot be written meanwhile."""
    lock = FileLock(lock_of(path), timeout=_LOCK_TIMEOUT)
    try:
        lock.acquire()
    except (Timeout, OSError, NotImplementedError) as error:
        reason = _BUSY if isinstance(error, Timeout) else getattr(error, "strerror", None) or str(error)
        raise UsageError(_CANNOT.fill(path=path, reason=reason)) from error
    try:
        yield
    except OSError as error:
        raise UsageError(_CANNOT.fill(path=path, reason=error.strerror)) from error
    finally:
        lock.release()


def lock_of(path: Path) -> Path:
    """The lock file for ``path``."""
    return path.with_name(f".{path.name}.lock")

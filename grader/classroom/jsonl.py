"""Files of records in a results folder, one line of JSON for each record (JSON Lines). Lines are only appended.

A line that a crash cut short is skipped when the file is read, and ended by the next append. Only ``attncheck forget``
removes records.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from filelock import FileLock, Timeout

from grader.core.errors import UsageError
from grader.core.files import write
from grader.core.model import Text

Record: TypeAlias = Mapping[str, Any]

#: Seconds to wait for another process, whose append takes milliseconds.
_LOCK_TIMEOUT = 10.0
_CANNOT = Text(
    "{path} cannot be written ({reason}); free some space or make it writable, and try again. Earlier entries are "
    "still there.",
    "{path} 无法写入（{reason}）；请腾出空间或改成可写，再试一次。此前的记录都还在。",
)
_BUSY = Text("another process is using it", "另一个进程正在使用它")


def read(path: Path) -> tuple[dict[str, Any], ...]:
    """All records of a file in order; empty if it does not exist. Raises UsageError if it cannot be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        said = Text("{path} cannot be read ({reason}).", "{path} 无法读取（{reason}）。")
        raise UsageError(said.fill(path=path, reason=error.strerror)) from error
    found = []
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):  # a line that was cut short
            one = json.loads(line)
            if isinstance(one, dict):
                found.append(one)
    return tuple(found)


def append(path: Path, make: Callable[[tuple[dict[str, Any], ...]], Record]) -> Record:
    """Append the record that ``make`` returns when called with the existing records, and return it.

    The file is locked meanwhile. Raises UsageError if it cannot be written, and whatever ``make`` raises.
    """
    with _alone(path):
        record = make(read(path))
        _write(path, record)
        return record


def add(path: Path, record: Record) -> None:
    """Append a record without reading the existing ones. Raises UsageError if it cannot be written."""
    with _alone(path):
        _write(path, record)


def _write(path: Path, record: Record) -> None:
    data = json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
    try:
        with open(path, "ab+", buffering=0) as file:
            if file.tell() and os.pread(file.fileno(), 1, file.tell() - 1) != b"\n":
                data = b"\n" + data
            file.write(data)
            os.fsync(file.fileno())
    except OSError as error:
        raise UsageError(_CANNOT.fill(path=path, reason=error.strerror)) from error


def remove(path: Path, which: Callable[[Record], bool]) -> int:
    """Rewrite the file without the records that ``which`` selects, and return their number."""
    if not path.exists():
        return 0
    with _alone(path):
        found = read(path)
        kept = [one for one in found if not which(one)]
        if len(kept) < len(found):
            try:
                write(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in kept))
            except OSError as error:
                raise UsageError(_CANNOT.fill(path=path, reason=error.strerror)) from error
    return len(found) - len(kept)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    lock = FileLock(lock_of(path), timeout=_LOCK_TIMEOUT)
    try:
        lock.acquire()
    except (Timeout, OSError, NotImplementedError) as error:
        reason = _BUSY if isinstance(error, Timeout) else getattr(error, "strerror", None) or str(error)
        raise UsageError(_CANNOT.fill(path=path, reason=reason)) from error
    try:
        yield
    finally:
        lock.release()


def lock_of(path: Path) -> Path:
    """The lock file for ``path``."""
    return path.with_name(f".{path.name}.lock")

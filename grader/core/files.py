"""Writes files atomically: a crash leaves the old file or the new one, never half a file."""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import BinaryIO, TextIO

from grader.core.errors import UsageError
from grader.core.model import Message

#: Prefix of files that are still being written. They are left behind if the process is killed.
TEMPORARY_PREFIX = ".writing-"
_INVISIBLE = re.compile(r"[^\n -~]")


def write(path: Path, data: str | bytes, *, shared: bool = False) -> None:
    """Writes ``data`` to ``path`` atomically.

    The umask decides who may read the file; a ``shared`` one is readable by everyone.
    """
    raw = data.encode() if isinstance(data, str) else data
    new = open_new(path.parent)
    try:
        with new as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        if shared:
            os.chmod(new.name, 0o644)
        os.replace(new.name, path)
    except BaseException:
        with contextlib.suppress(OSError):  # already gone if os.replace succeeded
            os.unlink(new.name)
        raise


def size(path: Path) -> int:
    """The bytes of a file; 0 if it has just been removed."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def open_new(folder: Path) -> BinaryIO:
    """Creates a temporary file in ``folder``, open for writing, with the permissions of any new file."""
    return open(folder / f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}", "xb")


def readable_json(value: object, indent: int = 1) -> str:
    """``value`` as JSON in which only control and invisible characters are escaped."""
    return _INVISIBLE.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False))


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def create(path: Path, text: str) -> None:
    """Creates a file. Raises UsageError if it exists or cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            _write_or_remove(path, file, text)
    except FileExistsError:
        raise UsageError(
            Message("{path} already exists; move it away, or choose another name.").fill(path=path)
        ) from None
    except OSError as error:
        raise UsageError(
            Message("{path} cannot be written: {reason}; choose another folder.").fill(path=path, reason=error.strerror)
        ) from error


def _write_or_remove(path: Path, file: TextIO, text: str) -> None:
    """Writes ``text`` to the new ``file``; removes it again if that fails, so that the command can be repeated."""
    try:
        file.write(text)
        file.flush()
    except OSError:
        path.unlink(missing_ok=True)
        raise

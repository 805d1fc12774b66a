"""Writing files so that a crash leaves the old one or the new one, never half of one."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from pathlib import Path
from typing import BinaryIO, TextIO

from grader.core.errors import UsageError

#: How the names of files begin that are being written; where a process was killed they stay behind.
TEMPORARY_PREFIX = ".writing-"
_ODD = re.compile(r"[^\n -~]")


def write(path: Path, data: str | bytes, *, shared: bool = False) -> None:
    """Writes a file whole or not at all. Who may read it is the umask's to say; what is ``shared``, everybody may."""
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
        with contextlib.suppress(OSError):  # after the last step it is gone already
            os.unlink(new.name)
        raise


def open_new(folder: Path) -> BinaryIO:
    """A new file to write in, open, with the permissions that any new file has."""
    return open(folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}", "xb")


def readable(value: object, indent: int = 1) -> str:
    """``value`` as JSON in letters of all languages; what a terminal would obey, or nobody could see, is escaped."""
    return _ODD.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False))


def _escaped(odd: re.Match[str]) -> str:
    return odd[0] if odd[0].isprintable() else json.dumps(odd[0])[1:-1]


def create(path: Path, text: str) -> None:
    """Writes a file that does not exist yet. Raises UsageError where one does, or where nothing can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            _whole(path, file, text)
    except FileExistsError:
        raise UsageError(f"{path} exists already; move it away, or choose another name.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; choose another folder.") from error


def _whole(path: Path, file: TextIO, text: str) -> None:
    """Writes what a new file is to hold; where that fails there is no file, so that another try is not in its way."""
    try:
        file.write(text)
        file.flush()
    except OSError:
        path.unlink(missing_ok=True)
        raise

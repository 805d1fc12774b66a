"""Files: writes them atomically (a crash leaves the old file or the new one, never half a file), and names them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Literal, TextIO

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


def state(path: Path) -> tuple[int, ...] | None:
    """What changes with a file that is only appended to or replaced; None if it cannot be inspected."""
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


def zipped(
    files: Iterable[tuple[str, bytes]], date: tuple[int, int, int, int, int, int] = (1980, 1, 1, 0, 0, 0)
) -> bytes:
    """A zip of ``files``, one read after the other; equal ones give equal bytes. Names of folders end with a slash."""
    import io  # as zipfile, needed for few commands
    import zipfile

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for path, data in files:
            made.writestr(zipfile.ZipInfo(path, date), data, None if path.endswith("/") else zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def user_folder(kind: Literal["cache", "data"]) -> Path | None:
    """The user's folder for what attncheck keeps of this kind; None if there is no home folder to put it in."""
    import platformdirs  # slow to import, and not needed if the environment names a place

    try:
        folder = Path(getattr(platformdirs, f"user_{kind}_dir")("attncheck", appauthor=False))
    except RuntimeError:  # raised by recent versions without a home folder
        return None
    return folder if folder.is_absolute() else None


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
        said = Message("{path} already exists; move it away, or choose another name.")
        raise UsageError(said.fill(path=path)) from None
    except OSError as error:
        said = Message("{path} cannot be written: {reason}; choose another folder.")
        raise UsageError(said.fill(path=path, reason=error.strerror)) from error


def _write_or_remove(path: Path, file: TextIO, text: str) -> None:
    """Writes ``text`` to the new ``file``; removes it again if that fails, so that the command can be repeated."""
    try:
        file.write(text)
        file.flush()
    except OSError:
        path.unlink(missing_ok=True)
        raise


# ----------------------------------------------------------------------------------------------- names
# Names of files and folders that every system can store, made from names that people chose.
# A digest tells names apart that would become equal. These names stand in inboxes and results folders, so they must not
# change.


#: The most bytes of a name. File systems allow 255; the rest is for a digest, a number and a suffix.
LONGEST = 200
#: The most characters of a file's and a folder's name, without a digest.
_FILE_LENGTH, _FOLDER_LENGTH = 80, 59
_UNSAFE = re.compile(r"[^\w.()\- @]")
#: Names of devices, which Windows reserves with any suffix.
_DEVICE = re.compile(r"con|nul|aux|prn|com\d|lpt\d", re.IGNORECASE)
#: Files that attncheck itself writes to results folders and exports.
_OUR_FILES = frozenset({"class", "gradebook", "index"})
#: The hexadecimal digits of a digest in the name of a folder: so many that nobody finds two names with the same ones.
_FOLDER_DIGITS = 16
_DIGESTED = re.compile(rf"-[0-9a-f]{{{_FOLDER_DIGITS}}}$")


def portable(text: str, taken: dict[str, str]) -> str:
    """A portable file name for ``text``, without suffix, that is not in ``taken``, to which it is added.

    If the text had to be changed or cut, or if its name is taken, the name gets a digest, so that it does not depend on
    other learners. The same text again gets a number.
    """
    whole = unicodedata.normalize("NFC", text)
    safe = _safe(whole, _FILE_LENGTH).encode()[:LONGEST].decode(errors="ignore").rstrip(". ") or "learner"
    digest = f"-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    stem, dot, rest = safe.partition(".")
    if _is_device(safe) or stem.strip().lower() in _OUR_FILES:
        safe = f"{stem}_{dot}{rest}"
    elif safe != whole:
        safe += digest
    if taken.get(safe.casefold(), text) != text:
        safe += digest
    name, times = safe, 1
    while name.casefold() in taken:
        times += 1
        name = f"{safe} ({times})"
    taken[name.casefold()] = text
    return name


def portable_folder(text: str) -> str:
    """A portable folder name for ``text``. Different texts have different names.

    A text that cannot be the name of a folder, or that looks like what becomes of one, is followed by its digest.
    """
    safe = _safe(text, _FOLDER_LENGTH).rstrip(". ")
    if _is_device(safe):
        safe = f"_{safe}"
    if safe and safe == text and not _DIGESTED.search(safe):
        return safe
    return f"{safe or 'learner'}-{sha256(text.encode()).hexdigest()[:_FOLDER_DIGITS]}"


def shortened(path: str) -> str:
    """``path`` with parts short enough for a file system; what is cut keeps its suffix and gets a digest."""
    return "/".join(map(_shortened_part, path.split("/")))


def _shortened_part(name: str) -> str:
    if len(name.encode()) <= LONGEST:
        return name
    stem, dot, suffix = name.rpartition(".")
    ending = f".{suffix}" if dot and 0 < len(suffix) < 10 else ""
    # A character has at most four bytes.
    return f"{(stem or name)[: LONGEST // 6]}-{sha256(name.encode()).hexdigest()[:8]}{ending}"


def _safe(text: str, length: int) -> str:
    return _UNSAFE.sub("_", text).strip("-. ")[:length]


def _is_device(name: str) -> bool:
    return _DEVICE.fullmatch(name.partition(".")[0].strip()) is not None

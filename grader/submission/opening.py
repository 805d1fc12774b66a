"""Opens submitted files safely: regular files only, never through a link, and without blocking.

All submitted files are opened here and nowhere else. Folders *above* the given path may be links. The path itself and
everything below it may not, even if a file is replaced with a link while it is being read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from grader.core.model import Text
from grader.core.tables import texts
from grader.submission import messages as say
from grader.submission.messages import Unusable

_FILE = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_FOLDER = _FILE | getattr(os, "O_DIRECTORY", 0)
#: Whether files can be opened relative to an open folder; otherwise each step is checked for links first.
HAS_DIR_FD = hasattr(os, "O_NOFOLLOW") and os.open in os.supports_dir_fd and os.scandir in os.supports_fd


@dataclass(frozen=True, slots=True)
class FileLocation:
    """The location of a submitted file: the path that was given, and the names below it."""

    root: str
    inner: tuple[str, ...] = ()

    def below(self, name: str) -> FileLocation:
        """The location of ``name`` in this folder."""
        return FileLocation(self.root, (*self.inner, name))


def status(path: str, shown: str) -> os.stat_result:
    """The status of ``path``. Raises Unusable for a link, and OSError if nothing is there."""
    facts = os.lstat(path)
    if stat.S_ISLNK(facts.st_mode):
        raise Unusable(shown, say.LINK)
    return facts


@contextlib.contextmanager
def open_file(place: FileLocation, shown: str) -> Iterator[BinaryIO]:
    """Opens a regular file, called ``shown`` in messages. Raises Unusable, also if it changes while it is open."""
    try:
        with _open_folder(FileLocation(place.root, place.inner[:-1]) if place.inner else None) as folder:
            descriptor = _step(folder, place.inner[-1] if place.inner else place.root)
    except OSError as error:
        raise refusal(shown, error) from None
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        os.close(descriptor)
        raise Unusable(shown, not_regular(before.st_mode))
    with os.fdopen(descriptor, "rb") as file:
        yield file
        after = os.fstat(descriptor)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise Unusable(shown, say.CHANGING)


@contextlib.contextmanager
def entries(folder: FileLocation) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Yields an iterator over the entries of a folder. Raises OSError."""
    with _open_folder(folder) as held, os.scandir(held) as listed:
        yield listed


@contextlib.contextmanager
def _open_folder(folder: FileLocation | None) -> Iterator[int | str | None]:
    """Yields an open folder descriptor, or its path where these do not work; None for the current directory."""
    if folder is None:
        yield None
        return
    held: int | str | None = None
    try:
        for name in (folder.root, *folder.inner):
            deeper = _step(held, name, _FOLDER) if HAS_DIR_FD else _path_without_link(held, name)
            _close(held)
            held = deeper
        yield held
    finally:
        _close(held)


def _close(held: int | str | None) -> None:
    if isinstance(held, int):
        os.close(held)


def _step(folder: int | str | None, name: str, flags: int = _FILE) -> int:
    """Opens ``name`` in ``folder`` and returns its descriptor."""
    if isinstance(folder, int):
        return os.open(name, flags, dir_fd=folder)
    return os.open(_path_without_link(folder, name), flags)


def _path_without_link(folder: int | str | None, name: str) -> str:
    """The path of ``name`` in ``folder``. Raises OSError if it is a link now."""
    path = name if folder is None else os.path.join(str(folder), name)
    if os.path.islink(path):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return path


def special(kind: str) -> Text:
    """What a file of this ``kind`` is called, from ``special.yaml``."""
    return texts(__file__, "special.yaml")[kind]


def what_is(mode: int) -> Text:
    """The name of a kind of special file, by its mode."""
    kinds = {stat.S_IFLNK: "link", stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return special(kinds.get(stat.S_IFMT(mode), "device"))


def not_regular(mode: int) -> Text:
    """Why a file of this mode is not opened."""
    return say.LINK if stat.S_ISLNK(mode) else say.SPECIAL.fill(what=what_is(mode))


def refusal(path: str, error: OSError) -> Unusable:
    """An error of the operating system, for people."""
    if isinstance(error, PermissionError):
        return Unusable(path, say.DENIED)
    if error.errno == errno.ELOOP:
        return Unusable(path, say.LINK)
    return Unusable(path, say.IO_ERROR.fill(reason=error.strerror or type(error).__name__))

"""Detects that the libraries which learner code runs on have changed, so that its results cannot be trusted.

The zygote imports NumPy and torch once, but they load parts of themselves later, in children, as do the packages that
a course allows. If the environment is deleted, upgraded or reinstalled meanwhile, correct code fails there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from grader.core.errors import LibrariesChanged
from grader.core.model import Message
from grader.sandbox import policy

#: Folders without code: what Python writes itself and what C++ extensions are built from.
_SKIPPED = frozenset({"__pycache__", "include", "share"})

#: The modification time of a folder in nanoseconds, and its entries by name and inode.
_Folder: TypeAlias = tuple[int, frozenset[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of some libraries at one moment.

    ``places`` are the files and folders of the libraries, ``folders`` has every folder below them. ``digest`` depends
    on the names of all files but not on where they are or when they were written.
    """

    places: dict[str, bool]
    folders: dict[str, _Folder]
    digest: str

    @classmethod
    def take(cls, places: Iterable[Path]) -> Snapshot:
        """Lists everything below ``places``, in a few hundredths of a second for torch and NumPy."""
        known = {str(path): path.exists() for path in places}
        folders: dict[str, _Folder] = {}
        digest = hashlib.sha256()
        for place in sorted(known):
            digest.update(f"{os.path.basename(place)}\0{known[place]}\0".encode(errors="surrogateescape"))
            for path, folder in _walk(place):
                folders[path] = folder
                names = sorted(name for name, _ in folder[1])
                words = (path.removeprefix(place), *names)
                digest.update("\0".join(words).encode(errors="surrogateescape"))
        return cls(known, folders, digest.hexdigest())

    def changed(self) -> str | None:
        """The first file or folder that is found to have changed; None if there is none."""
        gone = next((place for place, there in self.places.items() if there != os.path.exists(place)), None)
        return gone or next((path for path, before in self.folders.items() if not _same(path, before)), None)

    def verify(self) -> None:
        """Raises LibrariesChanged if something has changed since the snapshot was taken."""
        if (path := self.changed()) is not None:
            raise LibrariesChanged(CHANGED.fill(path=path))


#: ``path`` is what changed.
CHANGED = Message(
    "the libraries that submissions run on changed while they were in use ({path}), so the last results could not be "
    "graded and cost no points. Was the Python environment updated or removed? Make sure that torch and NumPy are "
    "installed, and run the command again"
)
#: The ``path`` in ``CHANGED`` if the libraries are not those that a batch began with.
OTHER_FILES = Message("files were added or removed")


def digest(packages: tuple[str, ...]) -> str:
    """The digest of everything that submissions may import, with these packages of a course."""
    return Snapshot.take(policy.packages(packages).values()).digest


def _walk(place: str) -> Iterator[tuple[str, _Folder]]:
    """Every folder from ``place`` down, in a fixed order; nothing if ``place`` is a file or does not exist."""
    waiting = [place]
    while waiting:
        path = waiting.pop()
        try:
            written = os.stat(path).st_mtime_ns  # before the entries are read: a change in between shows later
            entries, below = _entries(path)
        except OSError:
            continue  # a file, or a folder just deleted, which its parent's entries show
        yield path, (written, entries)
        waiting += sorted((os.path.join(path, name) for name in below), reverse=True)


def _entries(path: str) -> tuple[frozenset[tuple[str, int]], list[str]]:
    """The entries of a folder except skipped ones, and the names of those that are folders."""
    found, below = [], []
    with os.scandir(path) as listing:
        for entry in listing:
            if entry.name not in _SKIPPED and not (entry.name == "licenses" and path.endswith(".dist-info")):
                found.append((entry.name, entry.inode()))
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.name)
    return frozenset(found), below


def _same(path: str, before: _Folder) -> bool:
    """Whether a folder has the same entries; its time may have changed because Python added a __pycache__."""
    try:
        return os.stat(path).st_mtime_ns == before[0] or _entries(path)[0] == before[1]
    except OSError:
        return False

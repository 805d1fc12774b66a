"""The file or folder that an export writes; each file is written completely or not at all.

An existing file is replaced if an export wrote it and it has not changed since; the cache has the digests of written
files. Any other file is replaced only with ``force``.

This is not in the package itself, where the formats json and csv hide the standard modules of these names.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from grader.core import cache
from grader.core.errors import UsageError, reported
from grader.core.files import open_new, portable
from grader.core.model import Message, Text

#: The name under which the digest of a single-file export is saved.
_ALONE = ""
_CANNOT = Message("{path} cannot be written: {reason}; choose another place.")
_CHANGED = Message(
    "{to} exists, and was not written by an export or has changed since. Move it away, or replace it with --force."
)
_STRANGE = Message(
    "{to} contains files that were not written by an export ({shown}). Give an empty or new folder with --to, or write "
    "to this one with --force; files with other names are kept."
)


class ExportTarget:
    """The path ``to``: ``write_file`` writes it as one file, ``add_file`` writes a file in it.

    ``say`` shows a message. If ``temporary``, no digests are saved, because the path will be deleted soon.
    """

    def __init__(self, to: Path, say: Callable[[Text], None], *, force: bool = False, temporary: bool = False) -> None:
        self.to = to
        self.say = say
        self._force = force
        self._temporary = temporary
        self._key = hashlib.sha256(os.fsencode(to.absolute())).hexdigest()
        self._before = _record(self._key)
        self._now: dict[str, str] = {}
        self._taken: dict[str, str] = {}

    def __enter__(self) -> ExportTarget:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """After success, delete files of an earlier export that this one did not write."""
        if kind is None and not self._now:
            raise UsageError(Message("There is nothing to export: the gradebook has no graded submissions."))
        if kind is None:
            for name, digest in self._before.items():
                old = self.to / name
                if name not in {_ALONE, *self._now} and old.is_file() and _digest(old) == digest:
                    old.unlink()
        if self._now and not self._temporary:
            kept = {} if kind is None else self._before
            cache.put("export", self._key, json.dumps(kept | self._now).encode())

    def write_file(self, chunks: Iterable[bytes]) -> None:
        """Write the export as one file."""
        if self.to.is_dir():
            said = Message("{to} is a folder, but this export is a single file; give a file name with --to.")
            raise UsageError(said.fill(to=self.to))
        if os.path.lexists(self.to) and not (self._force or self._is_ours(self.to, _ALONE)):
            raise UsageError(_CHANGED.fill(to=self.to))
        self._write(self.to, _ALONE, chunks)

    def add_file(self, name: str, data: bytes) -> None:
        """Write one file of an export that is a folder."""
        if not self._now:
            self._begin()
        self._write(self.to / name, name, [data])

    def add_file_of(self, learner: str, suffix: str, data: bytes) -> str:
        """Write the file of a learner, with a name that is portable and nobody else's. Returns the name."""
        name = portable(learner, self._taken) + suffix
        self.add_file(name, data)
        return name

    def _begin(self) -> None:
        if os.path.lexists(self.to) and not self.to.is_dir():
            said = Message("{to} is a file, but this export is a folder; give another path with --to.")
            raise UsageError(said.fill(to=self.to))
        with reported(_CANNOT, path=self.to):
            self.to.mkdir(parents=True, exist_ok=True)
            entries = sorted(self.to.iterdir())
        strange = [entry.name for entry in entries if not self._is_ours(entry, entry.name)]
        if strange and not self._force:
            shown = ", ".join(strange[:3]) + (", …" if len(strange) > 3 else "")
            raise UsageError(_STRANGE.fill(to=self.to, shown=shown))

    def _is_ours(self, path: Path, name: str) -> bool:
        return path.is_file() and name in self._before and _digest(path) == self._before[name]

    def _write(self, path: Path, name: str, chunks: Iterable[bytes]) -> None:
        seen = hashlib.sha256()
        with reported(_CANNOT, path=path):
            new = open_new(path.parent)
        try:
            with new as file:
                for chunk in chunks:
                    seen.update(chunk)
                    with reported(_CANNOT, path=path):
                        file.write(chunk)
                with reported(_CANNOT, path=path):
                    file.flush()
                    os.fsync(file.fileno())
            with reported(_CANNOT, path=path):
                os.replace(new.name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new.name)
            raise
        self._now[name] = seen.hexdigest()


def _record(key: str) -> dict[str, str]:
    raw = cache.get("export", key)
    try:
        found = json.loads(raw) if raw else {}
    except ValueError:
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""

"""An on-disk cache of results that can be recomputed: losing an entry costs time, never a result.

An entry is bytes, stored under a kind and a hex digest of everything that determines it. ``folder`` raises if the
cache cannot be used; ``get`` and ``put`` then act as if it were empty. ``SizedCache`` and ``cached_by_identity`` cache
in memory alone.
"""

from __future__ import annotations

import os
import re
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Generic, TypeVar

from grader.core import files
from grader.core.errors import CacheError
from grader.core.model import Message

_KIND = re.compile(r"[a-z][a-z0-9_-]*")
_KEY = re.compile(r"[0-9a-f]{16,128}")
_SUM = 4

_REMEDY = Message("Set `ATTNCHECK_CACHE` to a folder of your own.")
_NO_HOME = Message("You have no home folder (HOME is not set), so there is no cache. {remedy}")
_NOT_CREATED = Message("The cache folder {path} cannot be created: {reason}. {remedy}")
_OTHER_OWNER = Message("The cache folder {path} belongs to user {owner}; expected {you} (you). {remedy}")
_WRITABLE = Message(
    "Others may write to the cache folder {path} (mode {mode}); expected 700. Run `chmod 700 {path}`, or set "
    "`ATTNCHECK_CACHE` to a folder of your own."
)


def folder() -> Path:
    """The cache folder, created if needed: ATTNCHECK_CACHE, else the user's cache folder.

    Raises CacheError if it cannot be created, belongs to someone else, or is writable by others.
    """
    chosen = os.environ.get("ATTNCHECK_CACHE")
    path = Path(chosen) if chosen else files.user_folder("cache")
    if path is None:
        raise CacheError(_NO_HOME.fill(remedy=_REMEDY))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except OSError as fault:
        raise CacheError(_NOT_CREATED.fill(path=path, reason=fault.strerror, remedy=_REMEDY)) from fault
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            raise CacheError(_OTHER_OWNER.fill(path=path, owner=status.st_uid, you=os.getuid(), remedy=_REMEDY))
        if status.st_mode & 0o022:
            raise CacheError(_WRITABLE.fill(path=path, mode=f"{status.st_mode & 0o777:03o}"))
    return path


def get(kind: str, key: str) -> bytes | None:
    """The entry, or None if it does not exist, cannot be read, or is damaged."""
    try:
        data = _entry(kind, key).read_bytes()
    except (OSError, CacheError):
        return None
    return data[_SUM:] if _sum(data[_SUM:]) == data[:_SUM] else None


def put(kind: str, key: str, data: bytes) -> None:
    """Stores the entry atomically; does nothing if the cache cannot be used."""
    # Slow to import, and most runs only read.
    import tempfile

    with suppress(OSError, CacheError):
        entry = _entry(kind, key)
        entry.parent.mkdir(mode=0o700, exist_ok=True)
        # mkstemp creates the file readable by its owner only.
        handle, name = tempfile.mkstemp(dir=entry.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_sum(data) + data)
            os.replace(name, entry)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


def _sum(data: bytes) -> bytes:
    """The checksum stored before an entry; without it, a damaged entry could still parse and be trusted."""
    return zlib.crc32(data).to_bytes(_SUM, "big")


def _entry(kind: str, key: str) -> Path:
    if not _KIND.fullmatch(kind) or not _KEY.fullmatch(key):
        raise ValueError(f"a cache entry needs a word and a hex digest, not {kind!r} and {key!r}")
    return folder() / kind / key


# ------------------------------------------------------------------------------------------- in memory

K = TypeVar("K")
V = TypeVar("V")


class SizedCache(Generic[K, V]):
    """Values by key in memory, up to ``most`` bytes; those used last stay. Several threads may use it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._found: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._alone = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value; None if it is not there."""
        with self._alone:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value of this size, in place of the oldest ones."""
        with self._alone:
            _, before = self._found.pop(key, (None, 0))
            self._found[key] = value, size
            self._size += size - before
            while self._size > self._most:
                _, (_, gone) = self._found.popitem(last=False)
                self._size -= gone


def cached_by_identity(limit: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """A decorator that calls the function once for each object; the cache is cleared when it holds ``limit`` objects.

    For immutable objects that occur often, and whose hash costs as much as the function itself.
    """

    def decorate(function: Callable[[K], V]) -> Callable[[K], V]:
        known: dict[int, tuple[K, V]] = {}  # keeps the object alive, so that no other one can get its id

        @wraps(function)
        def cached(value: K) -> V:
            found = known.get(id(value))
            if found is None:
                if len(known) >= limit:
                    known.clear()
                found = known[id(value)] = value, function(value)
            return found[1]

        return cached

    return decorate

"""A folder of results that can be computed again: what is lost there costs time, never an answer.

Entries are bytes under a kind and a hex digest of everything that decides them. ``folder`` says what is
wrong with the cache; ``get`` and ``put`` go on without one.
"""

from __future__ import annotations

import os
import re
import zlib
from contextlib import suppress
from pathlib import Path

from grader.core.errors import CacheError

_KIND = re.compile(r"[a-z][a-z0-9_-]*")
_KEY = re.compile(r"[0-9a-f]{16,128}")
_SUM = 4


def folder() -> Path:
    """The cache folder, made if need be: ATTNCHECK_CACHE, else the system's place for caches."""
    chosen = os.environ.get("ATTNCHECK_CACHE")
    if chosen:
        path = Path(chosen)
    else:
        # Not on the way to --help.
        import platformdirs

        try:
            path = Path(platformdirs.user_cache_dir("attncheck", appauthor=False))
        except RuntimeError:  # recent versions say so
            path = Path("~")
    remedy = "Set ATTNCHECK_CACHE to a folder of your own."
    if not chosen and not path.is_absolute():
        raise CacheError(f"You have no home folder (HOME is not set), so there is no cache. {remedy}")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except OSError as fault:
        raise CacheError(f"The cache folder {path} cannot be made: {fault.strerror}. {remedy}") from fault
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            raise CacheError(
                f"The cache folder {path} belongs to user {status.st_uid}; expected {os.getuid()} (you). {remedy}"
            )
        if status.st_mode & 0o022:
            raise CacheError(
                f"Others may write to the cache folder {path} (mode {status.st_mode & 0o777:03o}); expected 700. "
                f"Run `chmod 700 {path}`, or set ATTNCHECK_CACHE to a folder of your own."
            )
    return path


def get(kind: str, key: str) -> bytes | None:
    """The entry, or None if there is none that can be read, or none that is as it was written."""
    try:
        data = _entry(kind, key).read_bytes()
    except (OSError, CacheError):
        return None
    return data[_SUM:] if _sum(data[_SUM:]) == data[:_SUM] else None


def put(kind: str, key: str, data: bytes) -> None:
    """Stores the entry, whole or not at all."""
    # Reading is far more frequent.
    import tempfile

    with suppress(OSError, CacheError):
        entry = _entry(kind, key)
        entry.parent.mkdir(mode=0o700, exist_ok=True)
        # mkstemp makes the file readable for its owner only.
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
    """What stands before an entry: disks forget a bit now and then, and half a course would still be one."""
    return zlib.crc32(data).to_bytes(_SUM, "big")


def _entry(kind: str, key: str) -> Path:
    if not _KIND.fullmatch(kind) or not _KEY.fullmatch(key):
        raise ValueError(f"a cache entry needs a word and a hex digest, not {kind!r} and {key!r}")
    return folder() / kind / key

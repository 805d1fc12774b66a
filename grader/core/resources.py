"""The machine's resources: how many processors there are, and which resource an error says has run out."""

from __future__ import annotations

import errno
import os

_SAVED = "earlier results are saved"
_AGAIN = f"{_SAVED}; run the same command to continue"
_FULL = f"the disk is full, or your quota is used up: free some space; {_AGAIN}"
_FILES = f"too many files are open: close other programs, or raise the limit (ulimit -n); {_AGAIN}"
_MEMORY = f"not enough memory: close other programs, or use fewer --workers; {_AGAIN}"
_READ_ONLY = "the file system is read-only: choose a place that can be written"
_LOST = f"a disk, network folder or terminal does not respond: check it and run the command again; {_SAVED}"

_OF_ERRORS = {
    errno.ENOSPC: _FULL,
    errno.EFBIG: _FULL,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: _MEMORY,
    errno.EAGAIN: f"no more processes or memory are available: close other programs, or use fewer --workers; {_AGAIN}",
    errno.EROFS: _READ_ONLY,
    errno.EIO: _LOST,
}
# Not all systems define these.
_OF_ERRORS |= {getattr(errno, name): _FULL for name in ("EDQUOT",) if hasattr(errno, name)}
_OF_ERRORS |= {getattr(errno, name): _LOST for name in ("ESTALE",) if hasattr(errno, name)}
#: Parts of the messages for libraries that cannot be loaded and threads that cannot be started.
_OF_LIBRARIES = ("cannot allocate memory", "failed to map segment", "can't start new thread")


def processors() -> int:
    """How many processors this process may use (``taskset`` can restrict them)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shortage(error: BaseException) -> str | None:
    """Which resource has run out and what to do, if ``error`` or one that led to it says so; None for other errors."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        if found := _shortage(following):
            return found
        seen.add(id(following))
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)
    return None


def _shortage(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return f"out of memory: {_MEMORY}"
    if isinstance(error, OSError) and error.errno in _OF_ERRORS:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{(error.strerror or 'system error').lower()}: {_OF_ERRORS[error.errno]}"
    said = str(error).lower()
    if isinstance(error, ImportError | RuntimeError) and any(word in said for word in _OF_LIBRARIES):
        return f"out of memory: {_MEMORY}"
    return None

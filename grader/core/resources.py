"""The machine's resources: how many processors there are, and which resource an error says has run out."""

from __future__ import annotations

import errno
import gc
import os

from grader.core.model import Message, Text

_FULL = Message(
    "the disk is full, or your quota is used up: free some space; earlier results are saved; run the same command to "
    "continue"
)
_FILES = Message(
    "too many files are open: close other programs, or raise the limit (ulimit -n); earlier results are saved; run the "
    "same command to continue"
)
_MEMORY = Message(
    "not enough memory: close other programs, or use fewer --workers; earlier results are saved; run the same command "
    "to continue"
)
_PROCESSES = Message(
    "no more processes or memory are available: close other programs, or use fewer --workers; earlier results are "
    "saved; run the same command to continue"
)
_LOST = Message(
    "a disk, network folder or terminal does not respond: check it and run the command again; earlier results are saved"
)

_OF_ERRORS = {
    errno.ENOSPC: _FULL,
    errno.EFBIG: _FULL,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: _MEMORY,
    errno.EAGAIN: _PROCESSES,
    errno.EROFS: Message("the file system is read-only: choose a place that can be written"),
    errno.EIO: _LOST,
}
# Not all systems define these.
_OF_ERRORS |= {getattr(errno, name): _FULL for name in ("EDQUOT",) if hasattr(errno, name)}
_OF_ERRORS |= {getattr(errno, name): _LOST for name in ("ESTALE",) if hasattr(errno, name)}
#: Parts of the messages for libraries that cannot be loaded and threads that cannot be started.
_OF_LIBRARIES = ("cannot allocate memory", "failed to map segment", "can't start new thread")


def processors() -> int:
    """How many processors this process may use (``taskset`` can restrict them)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shortage(error: BaseException) -> Text | None:
    """Which resource has run out and what to do, if ``error`` or one of its causes says so; None for other errors."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if found := _shortage(cause):
            return found
        seen.add(id(cause))
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return None


def _shortage(error: BaseException) -> Text | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, OSError) and error.errno in _OF_ERRORS:
        text = Message("{file}: {error}: {todo}") if error.filename else Message("{error}: {todo}")
        words = (error.strerror or "system error").lower()
        return text.fill(file=error.filename, error=words, todo=_OF_ERRORS[error.errno])
    said = str(error).lower()
    if isinstance(error, ImportError | RuntimeError) and any(word in said for word in _OF_LIBRARIES):
        return _MEMORY
    return None


#: The number of new objects after which Python looks for reference cycles to free.
_COLLECT_AFTER = 50_000


def collect_rarely() -> None:
    """Makes this process collect garbage less often than every 700 objects, which would take a tenth of its time."""
    gc.set_threshold(_COLLECT_AFTER)

"""What this machine has, and what it has run out of: a full disk is nobody's mistake, and no fault of ours."""

from __future__ import annotations

import errno
import os

_AGAIN = "what was put down before is still there, and the same command goes on"
_FULL = f"no room is left, or your quota is used up: make room and run it again; {_AGAIN}"
_FILES = f"too many files are open: close other programs, or allow more files (ulimit -n); {_AGAIN}"
_MEMORY = f"the memory does not suffice: close other programs, or use fewer --workers; {_AGAIN}"
_READ_ONLY = "it lies where nothing can be written: name a place that can be written"
_LOST = f"a disk, a network folder or a terminal does not answer any more: look after it and run it again; {_AGAIN}"

_OF_ERRORS = {
    errno.ENOSPC: _FULL,
    errno.EFBIG: _FULL,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: _MEMORY,
    errno.EAGAIN: f"no more processes or memory are to be had: close other programs, or use fewer --workers; {_AGAIN}",
    errno.EROFS: _READ_ONLY,
    errno.EIO: _LOST,
}
# Not every system has these.
_OF_ERRORS |= {getattr(errno, name): _FULL for name in ("EDQUOT",) if hasattr(errno, name)}
_OF_ERRORS |= {getattr(errno, name): _LOST for name in ("ESTALE",) if hasattr(errno, name)}
#: What libraries say that could not be loaded, and threads that could not be started.
_OF_LIBRARIES = ("cannot allocate memory", "failed to map segment", "can't start new thread")


def processors() -> int:
    """How many processors this process may use: its share, where it was given one (``taskset``)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def lacks(error: BaseException) -> str | None:
    """What is missing and what to do, where ``error`` says that the machine is at its end; None for other errors."""
    if isinstance(error, MemoryError):
        return f"out of memory: {_MEMORY}"
    if isinstance(error, OSError) and error.errno in _OF_ERRORS:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{(error.strerror or 'an error of the system').lower()}: {_OF_ERRORS[error.errno]}"
    said = str(error).lower()
    if isinstance(error, ImportError | RuntimeError) and any(word in said for word in _OF_LIBRARIES):
        return f"out of memory: {_MEMORY}"
    return None

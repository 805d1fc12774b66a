"""The lock on a results folder, which only one process at a time may change."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from grader.core.errors import UsageError
from grader.core.model import Message


def make_folder(out: Path) -> None:
    """Create the results folder if it does not exist. Raises UsageError if that is impossible."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(out, error) from error


@contextlib.contextmanager
def locked(out: Path, timeout: float = 0.0) -> Iterator[None]:
    """Hold an exclusive lock on the results folder; it is released when the process exits.

    Waits up to ``timeout`` seconds. Raises UsageError if another process still holds the lock, or if the folder cannot
    be locked.
    """
    lock = FileLock(out / ".lock", timeout=timeout)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(
            Message("Another attncheck is grading into {out}; wait until it finishes, or use another folder.").fill(
                out=out
            )
        ) from None
    except OSError as error:
        raise _not_writable(out, error) from error
    except NotImplementedError:
        raise UsageError(
            Message(
                "{out} cannot be locked (some network folders cannot be), so two processes could grade into it at "
                "once; use a folder on this machine."
            ).fill(out=out)
        ) from None
    try:
        yield
    finally:
        lock.release()


def _not_writable(out: Path, error: OSError) -> UsageError:
    return UsageError(
        Message("{out} cannot be written ({reason}); make it writable, or use another folder.").fill(
            out=out, reason=error.strerror
        )
    )

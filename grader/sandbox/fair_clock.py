"""A wall clock that is fair to a process on a busy machine.

Time counts while a process runs, sleeps or waits for an event. It does not count while the process, or the thread that
watches it, is ready to run but waits for a processor. The kernel measures these waits (``schedstat``, in nanoseconds;
see Documentation/scheduler/sched-stats.rst). Where it does not, all time counts.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROC = Path("/proc")

_RUNNING = b"R"
#: States of a thread that continues as soon as the machine lets it: running or ready to run (R), in disk wait (D).
_ABLE = b"RD"
#: This many seconds after the time limit, waiting for a disk counts as sleeping: code can cause it, and no other clock
#: would end the process.
DISK_SECONDS = 30.0


class FairClock:
    """A wall clock for the process ``pid``, read by the thread that made it."""

    def __init__(self, pid: int | None, now: Callable[[], float] = time.monotonic, proc: Path = PROC) -> None:
        self._pid = pid
        self._now = now
        self._proc = proc
        waits = (proc / "thread-self" / "schedstat", *([] if pid is None else [proc / str(pid) / "schedstat"]))
        self._waits = {fd: 0.0 for path in waits if (fd := _opened(path)) is not None}

    def seconds(self) -> float:
        """Seconds, without those in which the process or this thread waited for a processor."""
        for fd in self._waits:
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended: keep the last value
                self._waits[fd] = int(os.pread(fd, 100, 0).split()[1]) / 1e9
        return self._now() - sum(self._waits.values())

    def stuck(self, over: float = 0.0) -> bool:
        """Whether the process sleeps, rather than waiting for a processor. True if that cannot be seen.

        ``over`` is how many seconds it is past its time limit.
        """
        return self._pid is None or stuck(self._pid, self._proc, over)

    def close(self) -> None:
        """Closes its files."""
        while self._waits:
            os.close(self._waits.popitem()[0])


def stuck(pid: int, proc: Path = PROC, over: float = 0.0) -> bool:
    """Whether all threads of ``pid`` and its children sleep: none runs, or waits for a processor or a disk.

    ``over`` is how many seconds the process is past its time limit.
    """
    able = _ABLE if over < DISK_SECONDS else _RUNNING
    return not any(state in able for state in _states(proc / str(pid), proc))


def _states(process: Path, proc: Path) -> Iterator[bytes]:
    for thread in _listed(process / "task"):
        with contextlib.suppress(OSError):
            # Bytes, because a thread can give itself a name that is not text.
            yield (thread / "stat").read_bytes().rpartition(b")")[2].split()[0]
            for child in (thread / "children").read_text().split():
                yield from _states(proc / child, proc)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # it has ended, or is not visible from here
        return []


def _opened(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, AttributeError):  # other systems have neither
        return None

"""How much time a process lets pass, on a machine that may have more to do than it can.

A process that sleeps, or waits for what never comes, lets time pass. One that would go on if it got a processor does
not: on a busy machine it is given the time that it waits for one, and so is whoever watches it. The kernel counts both
(``schedstat``, in nanoseconds; see Documentation/scheduler/sched-stats.rst). Where it does not, all time counts.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROC = Path("/proc")

_RUNNING = b"R"
#: States of a thread that goes on as soon as the machine lets it: running or waiting for a processor; for a disk.
_ABLE = b"RD"
#: So long beyond its time, a wait for a disk counts as any other wait: code can make one, and no other clock ends it.
DISK_SECONDS = 30.0


class Pace:
    """A wall clock for the process ``pid``, read by the thread that made it."""

    def __init__(self, pid: int | None, now: Callable[[], float] = time.monotonic, proc: Path = PROC) -> None:
        self._pid = pid
        self._now = now
        self._proc = proc
        waits = (proc / "thread-self" / "schedstat", *([] if pid is None else [proc / str(pid) / "schedstat"]))
        self._waits = {fd: 0.0 for path in waits if (fd := _opened(path)) is not None}

    def seconds(self) -> float:
        """Seconds, but for those in which the process or this thread has waited for a processor."""
        for fd in self._waits:
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended: as last read
                self._waits[fd] = int(os.pread(fd, 100, 0).split()[1]) / 1e9
        return self._now() - sum(self._waits.values())

    def stuck(self, over: float = 0.0) -> bool:
        """Whether the process sleeps, as far as one can see: the machine is not what it waits for now.

        ``over`` is for how many seconds its time has been up.
        """
        return self._pid is None or stuck(self._pid, self._proc, over)

    def close(self) -> None:
        """Gives back what it holds."""
        while self._waits:
            os.close(self._waits.popitem()[0])


def stuck(pid: int, proc: Path = PROC, over: float = 0.0) -> bool:
    """Whether no thread of ``pid``, or of a process that it has started, could go on if the machine let it."""
    able = _ABLE if over < DISK_SECONDS else _RUNNING
    return not any(state in able for state in _states(proc / str(pid), proc))


def _states(process: Path, proc: Path) -> Iterator[bytes]:
    for thread in _listed(process / "task"):
        with contextlib.suppress(OSError):
            # Bytes: a thread can give itself a name that is not text.
            yield (thread / "stat").read_bytes().rpartition(b")")[2].split()[0]
            for child in (thread / "children").read_text().split():
                yield from _states(proc / child, proc)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # it has ended, or cannot be seen from here
        return []


def _opened(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, AttributeError):  # another system has neither
        return None

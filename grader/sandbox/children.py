"""A running child as the grader sees it, confined or plain: frames, clocks, and a way to kill it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from grader.core.model import Limits
from grader.sandbox.inside import frames


class ChildEnded(Exception):
    """The child's stream has ended.

    ``outside``: it was killed by something other than the grader, one of its limits, or its own code.
    """

    def __init__(self, signal: int | None, code: int | None, cpu_limit: bool = False, outside: bool = False) -> None:
        super().__init__(f"signal {signal}" if signal else f"exit code {code}")
        self.signal = signal
        self.code = code
        self.cpu_limit = cpu_limit
        self.outside = outside


class MalformedFrame(Exception):
    """The child wrote something that is not a frame."""


class OversizedFrame(Exception):
    """The child announced more bytes than it may send."""


Frame = tuple[int, Any]

#: Seconds between checks on a child whose time is up but which is waiting for a processor.
POLL_SECONDS = 0.02


class Child(Protocol):
    """One child with one job. ``patience`` is how many seconds it may take to send HELLO."""

    patience: float
    _buffer: FrameBuffer
    _fair_clock: FairClock

    @property
    def received(self) -> int:
        """The bytes it has sent so far, plus the memory of their decoded values."""
        return self._buffer.total

    def send(self, frame: bytes) -> None:
        """Sends a frame. If the child has ended or does not read, ``receive`` will show that."""

    def receive(self, timeout: float, limit: int) -> Frame | None:
        """The next frame, or None after ``timeout`` seconds. Raises ChildEnded, MalformedFrame, OversizedFrame."""

    def cpu_seconds(self, default: float = 0.0) -> float:
        """CPU seconds used so far; ``default`` if that can no longer be read."""

    def wall_seconds(self) -> float:
        """A wall clock that excludes time spent waiting for a busy machine; see ``FairClock``."""
        return self._fair_clock.seconds()

    def stuck(self, over: float = 0.0) -> bool:
        """Whether it waits for something other than a processor. It is ``over`` seconds past its time limit."""

    def kill(self) -> None:
        """Ends it now."""

    def close(self) -> None:
        """Ends it if it still runs, and frees its resources."""


class ChildFactory(Protocol):
    """Starts children. ``unsafe``: they are not confined."""

    unsafe: bool

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> Child:
        """A child that has been sent ``job`` (a JOB frame)."""


#: Bytes that a frame may have in addition to its values.
_ALLOWANCE = 1 << 20


class FrameBuffer:
    """Collects bytes and yields complete frames. ``total`` is the bytes added plus the memory of decoded values."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._length: int | None = None
        self._kind = 0
        self.total = 0

    def add(self, piece: bytes) -> None:
        """Appends bytes."""
        self._data += piece
        self.total += len(piece)

    @property
    def wanted(self) -> int:
        """How many bytes to read next."""
        return min(max((self._length or 0) - len(self._data), 1 << 16), 1 << 20)

    def take(self, limit: int) -> Frame | None:
        """The next frame, or None until it is complete. Raises OversizedFrame (from the header) and MalformedFrame."""
        if self._length is None:
            if len(self._data) < frames.HEADER.size:
                return None
            self._kind, self._length = frames.HEADER.unpack_from(self._data)
            del self._data[: frames.HEADER.size]
            if self._kind not in frames.KINDS:
                raise MalformedFrame(f"a frame of kind {self._kind}")
            if self._length > limit + _ALLOWANCE:
                raise OversizedFrame
        if len(self._data) < self._length:
            return None
        body = bytes(self._data[: self._length])
        del self._data[: self._length]
        self._length = None
        budget = frames.MemoryBudget(limit + _ALLOWANCE)
        try:
            return self._kind, frames.decode(body, budget)
        except frames.FrameError as error:
            raise MalformedFrame(str(error)) from None
        finally:
            self.total += budget.spent


def write_all(fd: int, data: bytes, seconds: float, reader: FairClock) -> bool:
    """Writes all of ``data`` within ``seconds`` on the clock of ``reader``. False if the reader is gone or stuck."""
    until = reader.seconds() + seconds
    os.set_blocking(fd, False)
    view = memoryview(data)
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    while view:
        try:
            view = view[os.write(fd, view[: 1 << 20]) :]
        except BlockingIOError:
            left = until - reader.seconds()
            if not poll.poll(max(POLL_SECONDS, left) * 1000) and left <= 0 and reader.stuck(-left):
                return False
        except BrokenPipeError:
            return False
    return True


class PlainChildFactory:
    """Starts the same child program in a new interpreter each time, with timeouts but no confinement."""

    unsafe = True

    def __init__(self, preload: tuple[str, ...]) -> None:
        self._preload = preload

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> PlainChild:
        """A new interpreter that runs ``inside.plain``."""
        sandbox = Path(__file__).parent
        arguments = json.dumps([list(self._preload), cpu_seconds, limits.memory])
        code = (
            "import json, sys; sys.path.insert(0, sys.argv[1]); from inside import plain; del sys.path[0];"
            "plain.main(*json.loads(sys.argv[2]))"
        )
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ATTNCHECK"))}
        environment |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", code, str(sandbox), arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        child = PlainChild(process)
        child.send(job)
        return child


class PlainChild(Child):
    """A child connected by ordinary pipes; threads read and write them, which works on every system."""

    patience = 120.0

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._fair_clock = FairClock(process.pid)
        self._outgoing: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._buffer = FrameBuffer()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._feed, self._drain)]
        for thread in self._threads:
            thread.start()

    def send(self, frame: bytes) -> None:
        """See ``Child``."""
        self._outgoing.put(frame)

    def _feed(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError), self._process.stdin as pipe:
            while frame := self._outgoing.get():
                pipe.write(frame)
                pipe.flush()

    def _drain(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError), self._process.stdout as pipe:
            while piece := pipe.read1(1 << 20):  # type: ignore[attr-defined]
                self._pieces.put(piece)
        self._pieces.put(b"")

    def receive(self, timeout: float, limit: int) -> Frame | None:
        """See ``Child``."""
        until = time.monotonic() + timeout
        while (frame := self._buffer.take(limit)) is None:
            try:
                piece = self._pieces.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return None
            if not piece:  # it has ended, or has closed its pipe and can never answer
                self.kill()
                code = self._process.wait()
                raise ChildEnded(-code if code < 0 else None, code if code >= 0 else None)
            self._buffer.add(piece)
        return frame

    def cpu_seconds(self, default: float = 0.0) -> float:
        """Always 0: only the wall clock counts here."""
        return 0.0

    def stuck(self, over: float = 0.0) -> bool:
        """Always true, because no other clock would end the child."""
        return True

    def kill(self) -> None:
        """See ``Child``. This also kills the processes it started, unless they left the session."""
        if sys.platform == "win32":
            self._process.kill()
        elif self._process.returncode is None:  # until it is reaped, no other process has its id
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """See ``Child``. The threads close their pipes and end when the last process closes the other ends."""
        self.kill()
        self._process.wait()
        self._fair_clock.close()
        self._outgoing.put(b"")
        for thread in self._threads:
            thread.join(timeout=1)


# ---------------------------------------------------------------------------------------------- clocks
# A wall clock that is fair to a process on a busy machine.
#
# Time counts while a process runs, sleeps or waits for an event. It does not count while the process, or the thread
# that watches it, is ready to run but waits for a processor. The kernel measures these waits (``schedstat``, in
# nanoseconds; see Documentation/scheduler/sched-stats.rst). Where it does not, all time counts.


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

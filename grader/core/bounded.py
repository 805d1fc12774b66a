"""A process with limits on CPU time and memory, for what learners wrote: parsed, unpacked or compared, never run.

``call`` has a function of ours called there. The process is started when it is first needed, is used again, and is
replaced when it ends or has grown. It gets functions and arguments from us; what it says is read as plain data of
known types and of limited size, so that it is trusted no more than a learner's file.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import enum
import functools
import importlib
import io
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Literal, ParamSpec, TypeAlias, TypeVar

from grader.core.errors import AttncheckError, LibrariesChanged, SandboxKilled

P = ParamSpec("P")
T = TypeVar("T")

#: What a call ran into; "process": it ended the process in another way, such as the end of the stack.
Limit: TypeAlias = Literal["cpu", "memory", "size", "process"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call may take: seconds of CPU time, bytes of address space, bytes of its result.

    Where the system does not hold processes to an address space (macOS), CPU time alone bounds memory.
    """

    cpu: float
    memory: int = 1 << 30
    result: int = 96 << 20


#: Bytes of source and answers that are parsed at once: less than 0.1 s and 50 MB for the worst of them.
SMALL = 32 << 10
#: For what is larger, and for everything that has to be unpacked.
READING = Bounds(cpu=10.0)


class Exceeded(Exception):
    """A call took more than it may. ``limit`` says of what."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self.limit = limit


def call(bounds: Bounds, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args, **kwargs)``, done by the process with limits; its result has to be plain data.

    In that process itself it is simply called: its limits are those of the call that goes on already. So it is on
    Windows, which has no such limits.

    Raises Exceeded, and whatever of ``grader.core.errors`` the function raises. Any other exception is a bug of ours,
    and is raised as a RuntimeError with its text. A process that something outside kills is replaced once; the second
    time this raises SandboxKilled. LibrariesChanged if it cannot start because our own code cannot be imported.
    """
    if _SERVING.is_set() or sys.platform == "win32":
        return function(*args, **kwargs)
    return _helper(os.getpid()).call(bounds, function, args, kwargs)  # type: ignore[no-any-return]


def begin() -> None:
    """Starts the process, for those who know that it will be needed; returns at once."""
    _helper(os.getpid()).begin()


# ------------------------------------------------------------------------------------------ on our side

_HEADER = struct.Struct("<Q")
#: Set in the process with limits, and nowhere else.
_SERVING = threading.Event()
#: Exit code of a process that could not import our own code, before any call reached it.
_NOT_STARTED = 76
_START = f"""
import os, sys
sys.path[:] = sys.argv[1:]
try:
    from grader.core import bounded
except BaseException:
    os._exit({_NOT_STARTED})
bounded.serve()
"""
#: One thread, so that their stacks do not count as memory.
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@functools.lru_cache(maxsize=1)
def _helper(pid: int) -> _Helper:
    """This process's own: what was inherited by a fork belongs to the parent."""
    helper = _Helper()
    atexit.register(helper.close)
    return helper


class _Helper:
    """The process as we see it: one call at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def begin(self) -> None:
        with self._lock:
            self._running()

    def call(self, bounds: Bounds, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        asked = pickle.dumps((bounds, function, args, kwargs))
        with self._lock:
            for again in (True, False):
                try:
                    said, last = self._exchange(asked, bounds)
                    break
                except BaseException as error:  # nobody would know which answer belongs to which question
                    self._end()
                    if not (again and isinstance(error, SandboxKilled)):
                        raise
            if last:
                self._end()
        return _result(said)

    def _exchange(self, asked: bytes, bounds: Bounds) -> tuple[Any, bool]:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(_HEADER.pack(len(asked)) + asked)
            process.stdin.flush()
            header = process.stdout.read(_HEADER.size)
        except BrokenPipeError:
            header = b""
        if len(header) < _HEADER.size:
            raise _end_of(process)
        (length,) = _HEADER.unpack(header)
        if length > bounds.result:
            raise Exceeded("size")
        data = process.stdout.read(length)
        if len(data) < length:
            raise _end_of(process)
        return _plain(data)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-IB" if sys.dont_write_bytecode else "-I", "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_THREADS},
                process_group=0,  # an interruption is for us: we end it
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._end()


def _end_of(process: subprocess.Popen[bytes]) -> Exception:
    """Why it has ended. It runs nothing but our own code, and has no limit that kills."""
    code = process.wait()
    if code == -signal.SIGKILL:
        return SandboxKilled(
            "something outside killed the process that reads submissions, twice; usually the machine is short of "
            "memory. Close other programs, or use fewer --workers, and run it again"
        )
    if code == _NOT_STARTED:
        return LibrariesChanged(
            "the process that reads submissions could not import attncheck, so nothing could be graded. Was the Python "
            "environment updated or removed, or is the machine short of memory? Make sure that attncheck is installed, "
            "and run the command again"
        )
    return Exceeded("cpu" if code == -signal.SIGPROF else "process")


def _plain(data: bytes) -> tuple[Any, bool]:
    """What the process said. Anything but plain data of ours is no answer."""
    try:
        said, last = _Reader(io.BytesIO(data)).load()
    except Exception as error:
        raise Exceeded("process") from error
    return said, bool(last)


def _result(said: Any) -> Any:
    match said:
        case ("returned", value):
            return value
        case ("raised", AttncheckError() as error):
            raise error
        case ("memory", None):
            raise Exceeded("memory")
        case ("failed", str(words)):
            raise RuntimeError(words)
    raise Exceeded("process")


#: How NumPy's arrays are written down, besides types of our own.
_OF_NUMPY = {("numpy", "dtype"), ("numpy", "ndarray")} | {
    (f"numpy.{core}.{module}", name)
    for core in ("core", "_core")
    for module, name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
}


class _Reader(pickle.Unpickler):
    """Reads values and types of ours that only hold values: no function of any kind is found."""

    def find_class(self, module: str, name: str) -> Any:
        """A dataclass, an enumeration, a tuple with names or an exception of this package."""
        if (module, name) in _OF_NUMPY:
            return super().find_class(module, name)
        if module.startswith("grader."):
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and (
                dataclasses.is_dataclass(found)
                or issubclass(found, (enum.Enum, AttncheckError))
                or (issubclass(found, tuple) and hasattr(found, "_fields"))
            ):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


# --------------------------------------------------------------------------------------- on the other side

#: A process that has grown larger, in bytes, is replaced: it may hold on to what it does not need.
_GROWN = 256 << 20


def serve() -> None:
    """The life of the process: calls by standard input, answers by standard output, until nobody asks."""
    _SERVING.set()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, in whatever it is
    asking, answering = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while header := asking.read(_HEADER.size):
        asked = asking.read(*_HEADER.unpack(header))
        said = _answer(asked)
        last = _largest() > _GROWN
        _say(answering, said, last)
        if last:
            return


def _answer(asked: bytes) -> Any:
    try:
        bounds, function, args, kwargs = pickle.loads(asked)
        _limit_memory(bounds.memory)
        signal.setitimer(signal.ITIMER_PROF, bounds.cpu)
        return "returned", function(*args, **kwargs)
    except AttncheckError as error:
        return "raised", error
    except MemoryError:
        return "memory", None
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"


def _say(answering: IO[bytes], said: Any, last: bool) -> None:
    """Answers, still within the limits of the call."""
    try:
        data = pickle.dumps((said, last), 5)
    except MemoryError:
        del said
        data = pickle.dumps((("memory", None), last), 5)
    signal.setitimer(signal.ITIMER_PROF, 0)
    answering.write(_HEADER.pack(len(data)) + data)
    answering.flush()


def _limit_memory(most: int) -> None:
    """Where the system has such a limit; that it has none is no reason to read nothing."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _largest() -> int:
    """The most memory that this process has had, in bytes."""
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        # Unlike ru_maxrss, this does not count what the parent had when it started us.
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10

"""Calls functions in a helper process with limits on CPU time and memory.

It is for learners' text that is parsed, unpacked or compared, never run. The helper starts when it is first needed, and
makes the calls in a child. When a call ends the child, or makes it grow, the next child is a fork of the helper, which
costs no imports. Replies are unpickled as plain data of known types and limited size, so they are trusted no more than
a learner's file.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import enum
import functools
import importlib
import io
import math
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import IO, Any, Literal, ParamSpec, TypeAlias, TypeVar

from grader.core.errors import AttncheckError, LibrariesChanged, SandboxKilled
from grader.core.model import Message

P = ParamSpec("P")
T = TypeVar("T")

#: The limit that a call exceeded; "process" means that the helper died in another way, such as a stack overflow.
Limit: TypeAlias = Literal["cpu", "memory", "size", "process"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one call: ``cpu`` in seconds, ``memory`` (address space) and ``result`` in bytes.

    On systems that do not enforce a limit on address space (macOS), only CPU time bounds memory.
    """

    cpu: float
    memory: int = 1 << 30
    result: int = 96 << 20


#: Up to this many bytes of source and answers are parsed in this process: 0.1 s and 50 MB in the worst case.
SMALL = 32 << 10
#: Limits for larger files, and for everything that has to be unpacked.
READING = Bounds(cpu=10.0)


class Exceeded(Exception):
    """A call exceeded its ``limit``."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self.limit = limit


def call(bounds: Bounds, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Returns ``function(*args, **kwargs)``, computed in the helper process; the result must be plain data.

    Inside the helper, where the limits of the current call already apply, and on Windows, which has no such limits,
    the function is simply called.

    Raises:
        Exceeded: the call exceeded ``bounds``.
        AttncheckError: the function raised it.
        RuntimeError: the function raised anything else, which is a bug; the message has its type and text.
        SandboxKilled: the helper was killed twice from outside.
        LibrariesChanged: the helper cannot start because attncheck itself cannot be imported.
    """
    return _called(Call(bounds, function, args, kwargs))  # type: ignore[no-any-return]


def call_pure(bounds: Bounds, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """``call`` for a function whose result depends on its arguments alone: a server keeps the results for a while."""
    return _called(Call(bounds, function, args, kwargs, pure=True))  # type: ignore[no-any-return]


def call_on(content: bytes, bounds: Bounds, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """``call_pure`` for a function whose result depends on ``content`` alone, which it finds in a file."""
    return _called(Call(bounds, function, args, kwargs, pure=True, content=content))  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Call:
    """A function to call within ``bounds``.

    The result of a ``pure`` one depends on its arguments alone, or on ``content`` in place of them.
    """

    bounds: Bounds
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    pure: bool = False
    content: bytes | None = None


#: What makes the calls of this context in place of ``make``; a server sets it for each request, for one person.
CALLER: ContextVar[Callable[[Call], Any] | None] = ContextVar("CALLER", default=None)


def _called(call: Call) -> Any:
    if _SERVING.is_set() or sys.platform == "win32":
        return call.function(*call.args, **call.kwargs)
    return (CALLER.get() or make)(call)


def make(call: Call) -> Any:
    """Makes a call on the helper of this process, for any person; see ``call``."""
    return _helper(os.getpid()).call(call.bounds, call.function, call.args, call.kwargs)


def start() -> None:
    """Starts the helper in advance; returns immediately."""
    _helper(os.getpid()).start()


# ---------------------------------------------------------------------------------------- the caller's side

#: Before a request: its length, and the seconds of CPU time and bytes of memory that it may take.
_HEADER = struct.Struct("<QdQ")
#: Before a reply: its length, and the seconds of CPU time that the call took.
_REPLY = struct.Struct("<Qd")
#: Set in the helper only.
_SERVING = threading.Event()
#: Exit code of a helper that could not import attncheck, before any call reached it.
_IMPORT_FAILED = 76
_START = f"""
import importlib, os, sys
modules, *sys.path[:] = sys.argv[1:]
try:
    from grader.core import bounded
    for module in modules.split():
        importlib.import_module(module)
except BaseException:
    os._exit({_IMPORT_FAILED})
bounded.serve()
"""
_YIELD = "import os; os.nice(19)\n"
#: One thread each: stacks of threads count as memory.
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@functools.lru_cache(maxsize=1)
def _helper(pid: int) -> Helper:
    """The helper of process ``pid``: after a fork, an inherited one still belongs to the parent."""
    helper = Helper()
    atexit.register(helper.close)
    return helper


class Helper:
    """A helper process, seen by its caller; serves one call at a time. A ``yielding`` one has the lowest priority.

    It imports ``modules`` when it starts. ``spent`` is the CPU time in seconds that the last call took, or at least an
    upper bound of it; ``received`` is the size of the last reply in bytes.
    """

    def __init__(self, *, yielding: bool = False, modules: Sequence[str] = ()) -> None:
        self.spent = 0.0
        self.received = 0
        self._modules = " ".join(modules)
        self._code = _YIELD + _START if yielding else _START
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the process in advance; returns immediately."""
        with self._lock:
            self._running()

    def call(self, bounds: Bounds, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """See ``call`` of this module."""
        return self.send(bounds, pickle.dumps((function, args, kwargs)))

    def send(self, bounds: Bounds, request: bytes) -> Any:
        """``call``, for a function, its arguments and its keyword arguments that have been pickled."""
        with self._lock:
            began, self.spent = time.monotonic(), math.nan
            try:
                try:
                    reply = self._exchange(bounds, request)
                except SandboxKilled:
                    reply = self._exchange(bounds, request)
            finally:
                # A helper that died, or whose word is not a number of seconds, has used what it could.
                if not 0 <= self.spent <= bounds.cpu:
                    self.spent = min(time.monotonic() - began, bounds.cpu)
        return _result(reply)

    def _exchange(self, bounds: Bounds, request: bytes) -> Any:
        try:
            return self._reply(bounds, request)
        except BaseException:  # replies would no longer match requests
            self._end()
            raise

    def _reply(self, bounds: Bounds, request: bytes) -> Any:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(_HEADER.pack(len(request), bounds.cpu, bounds.memory))
            process.stdin.write(request)
            process.stdin.flush()
            header = process.stdout.read(_REPLY.size)
        except BrokenPipeError:
            header = b""
        if len(header) < _REPLY.size:
            raise _end_of(process)
        self.received, self.spent = _REPLY.unpack(header)
        if self.received > bounds.result:
            raise Exceeded("size")
        data = process.stdout.read(self.received)
        if len(data) < self.received:
            raise _end_of(process)
        return _unpickled(data)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            isolated = "-IB" if sys.dont_write_bytecode else "-I"
            self._process = subprocess.Popen(
                [sys.executable, isolated, "-c", self._code, self._modules, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_THREADS},
                process_group=0,  # ^C is for the caller, which then kills the helper
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()

    def close(self) -> None:
        """Kills the helper."""
        with self._lock:
            self._end()


_KILLED = Message(
    "the process that reads submissions was killed twice from outside, usually because the machine is short of memory."
).with_advice(Message("Close other programs, or use fewer --workers, and run the command again"))
_NOT_IMPORTED = Message(
    "the process that reads submissions could not import attncheck, so nothing could be graded. Was the Python "
    "environment updated or removed, or is the machine short of memory? Make sure that attncheck is installed, and run "
    "the command again"
)


def _end_of(process: subprocess.Popen[bytes]) -> Exception:
    """Why the helper died. It runs only our own code, and no limit of its own sends SIGKILL."""
    code = process.wait()
    if code == -signal.SIGKILL:
        return SandboxKilled(_KILLED)
    return LibrariesChanged(_NOT_IMPORTED) if code == _IMPORT_FAILED else Exceeded("process")


def _unpickled(data: bytes) -> Any:
    """The helper's reply. Raises Exceeded for anything but plain data."""
    try:
        return _Reader(io.BytesIO(data)).load()
    except Exception as error:
        raise Exceeded("process") from error


def _result(reply: Any) -> Any:
    match reply:
        case ("returned", value):
            return value
        case ("raised", AttncheckError() as error):
            raise error
        case ("cpu" | "memory" | "process" as limit, None):
            raise Exceeded(limit)
        case ("failed", str(words)):
            raise RuntimeError(words)
    raise Exceeded("process")


#: The functions and types that pickled NumPy arrays refer to.
_NUMPY_GLOBALS = {("numpy", "dtype"), ("numpy", "ndarray")} | {
    (f"numpy.{core}.{module}", name)
    for core in ("core", "_core")
    for module, name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
}


class _Reader(pickle.Unpickler):
    """Unpickles plain values, our own data types and NumPy arrays; it cannot be made to call anything else."""

    def find_class(self, module: str, name: str) -> Any:
        """Finds a dataclass, enum, named tuple or AttncheckError of this package, or what NumPy arrays need."""
        if (module, name) in _NUMPY_GLOBALS:
            return super().find_class(module, name)
        if module.startswith("grader."):
            kind = getattr(importlib.import_module(module), name, None)
            if isinstance(kind, type) and (
                dataclasses.is_dataclass(kind)
                or issubclass(kind, (enum.Enum, AttncheckError))
                or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
            ):
                return kind
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


# ---------------------------------------------------------------------------------------- the helper's side

#: A child that has grown beyond this many bytes is replaced, because it may hold memory that it no longer needs.
_MAX_PEAK = 256 << 20
#: Exit code of a child that has grown.
_GROWN = 77


def serve() -> None:
    """Runs the helper, until stdin ends: its children read calls from stdin and write replies to stdout."""
    _SERVING.set()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # kills the child wherever it is
    asking, answering = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (child := os.fork()) != 0:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 0:
            return
        if code == -signal.SIGKILL:  # from outside; the caller must know
            os.kill(os.getpid(), signal.SIGKILL)
        if code != _GROWN:  # a call that it had read in full
            _send(answering, ("cpu" if code == -signal.SIGPROF else "process", None), math.nan)
    os._exit(_serve(asking, answering))


def _serve(asking: IO[bytes], answering: IO[bytes]) -> int:
    """Makes calls until stdin ends; returns an exit code."""
    while header := asking.read(_HEADER.size):
        length, cpu, memory = _HEADER.unpack(header)
        request = asking.read(length)
        began = time.process_time()
        reply = _answer(request, cpu, memory)
        _send(answering, reply, began)
        if _peak_memory() > _MAX_PEAK:
            return _GROWN
    return 0


def _answer(request: bytes, cpu: float, memory: int) -> Any:
    try:
        _limit_memory(memory)
        signal.setitimer(signal.ITIMER_PROF, cpu)
        function, args, kwargs = pickle.loads(request)
        return "returned", function(*args, **kwargs)
    except AttncheckError as error:
        return "raised", error
    except MemoryError:
        return "memory", None
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"


def _send(answering: IO[bytes], reply: Any, began: float) -> None:
    """Writes the reply, still within the limits of the call, which ``began`` at this CPU time of the process."""
    try:
        data = pickle.dumps(reply, 5)
    except MemoryError:
        del reply
        data = pickle.dumps(("memory", None), 5)
    signal.setitimer(signal.ITIMER_PROF, 0)
    answering.write(_REPLY.pack(len(data), time.process_time() - began) + data)
    answering.flush()


def _limit_memory(limit: int) -> None:
    """Limits the address space to ``limit`` bytes, if the system can."""
    import resource  # not on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _peak_memory() -> int:
    """The peak memory of this process, in bytes."""
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        # Unlike ru_maxrss, this does not include the parent's memory at the time of the fork.
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    import resource  # not on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10

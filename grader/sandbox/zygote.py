"""The grader's side of a zygote: starts it, requests children, and notices when it is gone."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.core.errors import SandboxError, SandboxKilled, SandboxUnavailable
from grader.core.model import Limits, Message, ResourceUsage, Text
from grader.core.tables import texts
from grader.sandbox import policy
from grader.sandbox.children import Child, ChildEnded, FairClock, Frame, FrameBuffer, stuck, write_all

_PRELOAD = ("numpy", "torch", "torch.optim", "torch.profiler", "torch.utils.flop_counter")

_FORK = struct.Struct("<IQ")
_EXIT = struct.Struct("<id?")
_NOBODY = 65534
_SEND_SECONDS = 10.0
#: Seconds that a zygote may sleep before it is ready. While it works, however slowly, the grader waits.
_READY_SECONDS = 180.0
#: Pipes that it must be possible to open before a zygote is started.
_SPARE = 8
#: Errors of a machine that is temporarily short of something.
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
_SHORT, _NO_LIBRARIES = 75, 76  # as inside.zygote has them
#: Exit codes of a zygote that was killed: negative for the process that was started, 0 to 255 for the one inside.
_KILLED = {-9: "SIGKILL", 247: "SIGKILL", -15: "SIGTERM", 241: "SIGTERM"}
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inside import zygote; del sys.path[0];"
    "zygote.main(int(sys.argv[2]))"
)


class ZygoteLost(SandboxKilled):
    """The zygote ended while it was in use. ``usage`` is what the job had used until then."""

    usage: ResourceUsage | None = None


@dataclass(frozen=True, slots=True)
class ZygoteSettings:
    """How a sandbox is set up. Switches that turn layers off are for tests, which simulate less capable machines.

    ``collapse`` requests huge pages (for batches). ``landlock_abi`` is the newest version of Landlock to use.
    ``packages`` may be imported in addition to torch and NumPy.
    """

    preload: tuple[str, ...] = _PRELOAD
    collapse: bool = False
    namespaces: bool = True
    landlock_abi: int = 99
    seccomp: bool = True
    count_threads: bool = True
    packages: tuple[str, ...] = ()


_NOT_LINUX = Message("learner code can only be confined on Linux; this is {platform}")
_NOT_STARTED = Message("the sandbox process could not be started: {error}")
_NO_LIBSECCOMP = Message("libseccomp was not found, so system calls cannot be filtered;").with_advice(
    Message("install libseccomp2 (Debian, Ubuntu) or libseccomp (Fedora, Arch) and run `attncheck doctor`")
)
_ENDED_STARTING = Message("the sandbox process ended while it started: {error}")
_NOT_READY = Message("the sandbox process did not become ready: {error}")
_ENDED_EARLY = Message("the sandbox process ended before it was ready (exit code {code});").with_advice(
    Message("`attncheck doctor` shows which layer is missing, and `ATTNCHECK_DEBUG=1` shows its messages")
)
_SEVERAL_THREADS = Message("the zygote has {count} threads; it must have one when it forks")
_SHARED_MEMORY = Message("the zygote has memory that all its children would share: {what}")
_KILLED_IN_USE = Message("{signal}; the machine may be short of memory")
_SHORTAGE = Message(
    "the sandbox could not be started ({error}); close other programs, or allow more open files and processes "
    "(ulimit -n, ulimit -u), and run the command again"
)


class Zygote:
    """A running zygote. It has one child at a time."""

    unsafe = False

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, settings: ZygoteSettings) -> None:
        self._process = process
        self._control = control
        self._settings = settings
        self._exit_pending = False  # whether an EXIT message has not been read yet
        self.state: dict[str, Any] = {}
        self.places: tuple[Path, ...] = ()  # of the libraries that its children may import

    @classmethod
    def launch(cls, settings: ZygoteSettings) -> Zygote:
        """Starts one, which imports torch in the background."""
        if sys.platform != "linux":
            raise SandboxUnavailable(_NOT_LINUX.fill(platform=sys.platform))
        for fd in _pipes(_SPARE):  # first, because below, a lack of files would look like another error
            os.close(fd)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", "-c", _BOOT, str(Path(__file__).parent), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if not os.environ.get("ATTNCHECK_DEBUG") else None,
                env=_environment(),
                pass_fds=(theirs.fileno(),),
                cwd="/",
                start_new_session=True,
                **_unprivileged(),
            )
        except OSError as error:
            ours.close()
            if error.errno in _SHORTAGES:
                raise _short_of(error) from error
            raise SandboxUnavailable(_NOT_STARTED.fill(error=error)) from error
        finally:
            theirs.close()
        zygote = cls(process, ours, settings)
        zygote._configure()
        return zygote

    def _configure(self) -> None:
        settings = self._settings
        program = policy.seccomp_program() if settings.seccomp else b""
        if not program:
            self.close()
            raise SandboxUnavailable(_NO_LIBSECCOMP)
        asking, call = policy.thread_program() if settings.count_threads else (b"", -1)
        found = policy.packages(settings.packages)
        self.places = tuple(found.values())
        config = {
            "stdlib": list(policy.stdlib_path()),
            "packages": {name: str(path) for name, path in found.items()},
            "readable": list(policy.readable(found)),
            "preload": list(settings.preload),
            "namespaces": settings.namespaces,
            "landlock_abi": settings.landlock_abi,
            "seccomp": program.hex(),
            "threads": asking.hex(),
            "seccomp_call": call,
            "collapse": settings.collapse,
        }
        whole = json.dumps(config).encode()
        try:
            for at in range(0, len(whole), 1 << 16):
                self._control.send(b"+" + whole[at : at + (1 << 16)])
            self._control.send(b"\0")
        except OSError as error:
            self.close()
            raise self._ended(_ENDED_STARTING.fill(error=error)) from error

    def _ended(self, otherwise: Text) -> SandboxError:
        """The error for a zygote that ended before it was ready: ``otherwise``, unless its exit code says why."""
        code = self._process.wait()
        reason = {_SHORT: "short", _NO_LIBRARIES: "libraries"}.get(code, "killed" if code in _KILLED else None)
        if reason is None:
            return SandboxUnavailable(otherwise)
        text = texts(__file__, "zygote.yaml")[reason].fill(python=sys.executable, signal=_KILLED.get(code, ""))
        return SandboxUnavailable(text) if reason == "libraries" else ZygoteLost(text)

    def wait_until_ready(self) -> None:
        """Blocks until torch is imported. Raises SandboxUnavailable if code could not be confined well enough."""
        if self.state:
            return
        self._control.settimeout(_READY_SECONDS)
        try:
            self._await()
            message = self._control.recv(1 << 16)
        except ConnectionResetError:  # it ended before it read its configuration
            message = b""
        except OSError as error:
            raise SandboxError(_NOT_READY.fill(error=error)) from error
        if not message:
            raise self._ended(_ENDED_EARLY.fill(code=self._process.wait()))
        state: dict[str, Any] = json.loads(message)
        if state["threads"] != 1:
            raise SandboxError(_SEVERAL_THREADS.fill(count=state["threads"]))
        if state["shared"]:
            raise SandboxError(_SHARED_MEMORY.fill(what=state["shared"][0]))
        for wall, lacking in (
            ("landlock", not state["landlock"]),
            ("root", os.geteuid() == 0 and state["uid"] == 0),
            ("threads", not state["counted"] and not _processes_are_bounded(state["namespaces"])),
        ):
            if lacking:
                raise SandboxUnavailable(texts(__file__, "zygote.yaml")[wall])
        self.state = state

    def _await(self) -> None:
        """Blocks until a message or the end of the stream. Raises TimeoutError if the zygote sleeps too long."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        asleep, each = 0.0, min(1.0, _READY_SECONDS)
        while not poll.poll(each * 1000):
            asleep += each if stuck(self._process.pid) else 0.0
            if asleep >= _READY_SECONDS:
                raise TimeoutError(f"it was idle for {_READY_SECONDS:g} s")

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that confine each child."""
        return ("seccomp", f"landlock-{self.state['landlock']}", "rlimits", *self.state["namespaces"])

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> ConfinedChild:
        """A new confined child that has been sent ``job``."""
        self.wait_until_ready()
        if self._exit_pending:
            self.exit_status()
        job_read, job_write, results_read, results_write = _pipes(2)
        try:
            try:
                socket.send_fds(self._control, [_FORK.pack(cpu_seconds, limits.memory)], [job_read, results_write])
            finally:
                os.close(job_read)
                os.close(results_write)
            message, fds, _, _ = socket.recv_fds(self._control, 64, 1)
            if not message or not fds:
                raise ConnectionError("no answer")
        except OSError as error:
            os.close(job_write)
            os.close(results_read)
            raise self._lost(str(error)) from error
        self._exit_pending = True
        child = ConfinedChild(self, fds[0], job_write, results_read, cpu_seconds)
        child.send(job)
        return child

    def _lost(self, why: str | Text) -> ZygoteLost:
        """The error for a zygote that ended while it was in use."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(timeout=2)
            if code == _SHORT or code in _KILLED:
                why = Message("not enough memory") if code == _SHORT else _KILLED_IN_USE.fill(signal=_KILLED[code])
        return ZygoteLost(Message("the zygote ended: {why}").fill(why=why))

    def exit_status(self) -> tuple[int, float, bool]:
        """The wait status and CPU seconds of the last child, and whether the zygote killed it."""
        try:
            message = self._control.recv(64)
        except OSError as error:
            raise self._lost(str(error)) from error
        if len(message) != _EXIT.size:
            raise self._lost("no answer")
        self._exit_pending = False
        status, used, ours = _EXIT.unpack(message)
        return status, used, ours

    def close(self) -> None:
        """Ends the zygote, and with it its namespace. Kills one that is still importing torch."""
        self._control.close()
        if not self.state:
            self._process.kill()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ConfinedChild(Child):
    """A confined child, identified by a pidfd."""

    patience = 60.0

    def __init__(self, zygote: Zygote, pidfd: int, jobs: int, results: int, cpu_seconds: int) -> None:
        self._zygote = zygote
        self._pidfd = pidfd
        self._jobs = jobs
        self._results = results
        self._cpu_seconds = cpu_seconds
        self._buffer = FrameBuffer()
        self._used: float | None = None  # all its CPU seconds, once it has ended
        pid = _pid(pidfd)
        self._clock = _cpu_clock(pid)
        self._fair_clock = FairClock(pid)
        self._poll = select.poll()
        self._poll.register(results, select.POLLIN)
        self._gone = select.poll()
        self._gone.register(pidfd, select.POLLIN)

    def send(self, frame: bytes) -> None:
        """See ``Child``."""
        write_all(self._jobs, frame, _SEND_SECONDS, self._fair_clock)

    def receive(self, timeout: float, limit: int) -> Frame | None:
        """See ``Child``."""
        until = time.monotonic() + timeout
        while (frame := self._buffer.take(limit)) is None:
            left = until - time.monotonic()
            if not self._poll.poll(max(0.0, left) * 1000):
                return None
            piece = os.read(self._results, self._buffer.wanted)
            if not piece:  # it has ended, or has closed its pipe and can never answer
                if not self._gone.poll(max(0.0, left) * 1000):
                    return None
                self._end()
            self._buffer.add(piece)
            if left <= 0:
                return self._buffer.take(limit)  # a child that writes slowly must not delay us past the limit
        return frame

    def _end(self) -> None:
        """Raises ChildEnded. The grader did not kill it, since it stops reading from children that it kills.

        Learner code cannot send signals, so SIGKILL comes from the limit on CPU time, from the zygote (which says so)
        or from outside.
        """
        status, self._used, ours = self._zygote.exit_status()
        code = os.waitstatus_to_exitcode(status)
        killed = code == -signal.SIGKILL and not ours
        outside = killed and self._used < self._cpu_seconds
        cpu_limit = code == -signal.SIGXCPU or (killed and not outside)
        raise ChildEnded(-code if code < 0 else None, code if code >= 0 else None, cpu_limit, outside)

    def cpu_seconds(self, default: float = 0.0) -> float:
        """See ``Child``. Read from the process's own CPU clock, which it cannot change."""
        if self._clock is None:
            return 0.0
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return default if self._used is None else self._used

    def stuck(self, over: float = 0.0) -> bool:
        """See ``Child``. The CPU clock limits a child that is not stuck."""
        return self._clock is None or self._fair_clock.stuck(over)

    def kill(self) -> None:
        """See ``Child``."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """See ``Child``. The zygote reaps it in the background."""
        self.kill()
        self._fair_clock.close()
        for fd in (self._pidfd, self._jobs, self._results):
            os.close(fd)


def _pid(pidfd: int) -> int | None:
    """The process id in this PID namespace; None if it has none here, or has ended."""
    with open(f"/proc/self/fdinfo/{pidfd}") as file:
        pid = next((int(line.split()[1]) for line in file if line.startswith("Pid:")), 0)
    return pid if pid > 0 else None


def _cpu_clock(pid: int | None) -> int | None:
    """The id of the process's CPU clock; None if it cannot be read."""
    if pid is None:
        return None
    clock = (~pid << 3) | 2
    try:
        time.clock_gettime(clock)
    except OSError:
        return None
    return clock


def _pipes(count: int) -> list[int]:
    """Both ends of ``count`` pipes. Raises SandboxError, with none left open, if there are too few files."""
    opened: list[int] = []
    try:
        for _ in range(count):
            opened += os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        for fd in opened:
            os.close(fd)
        raise _short_of(error) from error
    return opened


def _short_of(error: OSError) -> SandboxError:
    """The error for a temporary shortage. It is not SandboxUnavailable, so that no code is run unconfined instead."""
    return SandboxError(_SHORTAGE.fill(error=(error.strerror or str(error)).lower()))


def _environment() -> dict[str, str]:
    """A clean environment: one thread per library, and the search path of shared libraries."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/", **threads, **kept}


def _unprivileged() -> dict[str, Any]:
    """Arguments of ``Popen`` for root: run as user nobody if that user can read Python; else rely on namespaces."""
    if os.geteuid() != 0 or not readable_by_all():
        return {}
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}


def _processes_are_bounded(namespaces: list[str]) -> bool:
    """Whether RLIMIT_NPROC is enforced: per user namespace, and never for user 0 of the machine."""
    return "userns" in namespaces and (os.geteuid() != 0 or bool(_unprivileged()))


def readable_by_all() -> bool:
    """Whether every user of this machine can run this Python, with torch and with our own code in the child."""
    needed = [sys.executable, os.path.realpath(sys.executable), str(Path(__file__).parent / "inside" / "zygote.py")]
    needed += [str(path) for path in policy.packages().values()] + [policy.stdlib_path()[0]]
    return all(_open_to_all(Path(path)) for path in needed)


def _open_to_all(path: Path) -> bool:
    path = Path(os.path.abspath(path))
    try:
        return all(p.stat().st_mode & 0o001 for p in path.parents) and bool(path.stat().st_mode & 0o004)
    except OSError:
        return False

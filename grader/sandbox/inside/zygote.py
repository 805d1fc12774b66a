"""A process that has imported NumPy and torch, and forks one confined child per submission.

It never sees a submission, an input or an output. It receives the ends of two pipes and returns a pidfd of the child
it made. It has one thread, its own namespaces where the kernel allows them, and no capabilities.

Control socket (SOCK_SEQPACKET; the grader speaks first):

    grader → zygote   CONFIG   JSON in pieces of at most 64 KiB after a "+", then a zero byte
    zygote → grader   READY    JSON: what was achieved
    grader → zygote   FORK     CPU seconds and bytes of memory, with the two pipe ends
    zygote → grader   PID      with a pidfd
    zygote → grader   EXIT     wait status of the child, CPU seconds used, and whether the zygote killed it

When the control socket closes, the zygote ends, and with it its namespace and every child.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import confine

FORK = struct.Struct("<IQ")
EXIT = struct.Struct("<id?")


#: Exit code if memory or file descriptors ran out at the start; no layer is missing.
EXIT_SHORTAGE = 75
#: Exit code if NumPy or torch could not be imported.
EXIT_NO_LIBRARIES = 76
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
_SHORT = ("failed to map segment", "cannot allocate memory", "too many open files")


def main(control_fd: int) -> None:
    """Runs the zygote, from the exec to the end of the control socket."""
    try:
        _live(control_fd)
    except (MemoryError, OSError, ImportError) as error:
        if (code := _exit_code(error)) is None:
            raise
        sys.excepthook(type(error), error, error.__traceback__)  # for ATTNCHECK_DEBUG
        os._exit(code)


def _exit_code(error: MemoryError | OSError | ImportError) -> int | None:
    """The exit code for an error at the start; None if it has no code of its own."""
    if isinstance(error, MemoryError) or any(word in str(error).lower() for word in _SHORT):
        return EXIT_SHORTAGE
    if isinstance(error, ImportError):
        return EXIT_NO_LIBRARIES
    return EXIT_SHORTAGE if error.errno in _SHORTAGES else None


@dataclass(frozen=True, slots=True)
class _Walls:
    """What confines children, prepared once: rules, filters, and the descriptor on which requests for threads arrive.

    ``proc`` is a descriptor of /proc that children use before they are confined; None if they need none.
    """

    seccomp: bytes
    spaces: tuple[str, ...]
    landlock: confine.Landlock | None
    listener: int | None
    proc: int | None


def _live(control_fd: int) -> None:
    control = socket.socket(fileno=control_fd)
    del sys.argv[1:], sys.orig_argv[1:]  # they name folders that learner code need not know
    config = _config(control)
    proc = _proc()
    spaces = confine.namespaces() if config["namespaces"] else ()
    if "pidns" in spaces:
        _become_first_process()
        spaces += ("proc",) if confine.own_proc() else ()
    expendable = confine.Expendable(proc)
    if proc is not None and not confine.is_nice():
        os.close(proc)
        proc = None
    confine.drop_capabilities()
    install(config["stdlib"], config["packages"])
    _preload(config)
    landlock = confine.Landlock.prepare(config["readable"] + _mapped_libraries(config), config["landlock_abi"])
    if config["collapse"]:
        confine.collapse()
    shared = confine.shared_memory()
    confine.hide()
    listener = listen(config["threads"], config["seccomp_call"])
    gc.collect()
    gc.freeze()
    state = {
        "namespaces": list(spaces),
        "landlock": landlock.abi if landlock else 0,
        "threads": len(os.listdir("/proc/self/task")),
        "counted": listener is not None,
        "shared": shared,
        "uid": os.getuid(),
    }
    control.send(json.dumps(state).encode())
    walls = _Walls(config["seccomp"], spaces, landlock, listener, proc)
    with contextlib.suppress(ConnectionError):  # the grader is gone
        while (request := _request(control)) is not None:
            _fork(control, request, walls, expendable)


def _proc() -> int | None:
    """The folder /proc, open; None where there is none."""
    with contextlib.suppress(OSError):
        return os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    return None


def _config(control: socket.socket) -> dict[str, Any]:
    whole = bytearray()
    while piece := control.recv(1 << 17):
        if piece == b"\0":
            break
        whole += piece[1:]
    config: dict[str, Any] = json.loads(whole)
    config |= {name: bytes.fromhex(config[name]) for name in ("seccomp", "threads")}
    return config


def _become_first_process() -> None:
    """Forks. The child continues as process 1 of the new namespace; the parent waits for it and exits with its code."""
    pid = os.fork()
    if pid == 0:
        confine.die_with_parent()
        return
    _, status = os.waitpid(pid, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _preload(config: dict[str, Any]) -> None:
    """Imports what children need, and runs the usual operations once, so that no child pays for the first time."""
    for name in config["preload"]:
        importlib.import_module(name)
    import torch  # not above: only now are imports restricted to what children may import

    from . import serve, unsupported  # the child's own code, compiled before the fork

    torch.set_num_threads(1)
    unsupported.install()
    serve.warm_up()


def _mapped_libraries(config: dict[str, Any]) -> list[str]:
    """The system's shared libraries in use, or their folders where these hold no Python packages."""
    with open("/proc/self/maps") as file:
        paths = {line.split(maxsplit=5)[5].strip() for line in file if line.count("/") and ".so" in line}
    known = tuple(entry + "/" for entry in config["readable"])
    result = set()
    for path in paths:
        if path.startswith(known) or not os.path.isfile(path):
            continue
        folder = os.path.dirname(path)
        shared = any(entry.startswith("python") or entry.endswith("-packages") for entry in os.listdir(folder))
        result.add(path if shared else folder)
    return sorted(result)


def _request(control: socket.socket) -> tuple[bytes, list[int]] | None:
    data, fds, _, _ = socket.recv_fds(control, FORK.size, 2)
    return (data, fds) if len(data) == FORK.size and len(fds) == 2 else None


def _fork(
    control: socket.socket, request: tuple[bytes, list[int]], walls: _Walls, expendable: confine.Expendable
) -> None:
    """Forks a child, answers its requests for threads, and reports its end."""
    data, (job, results) = request
    pid = expendable.fork()
    if pid == 0:
        try:
            _child(FORK.unpack(data), job, results, walls)
        finally:
            os._exit(0)
    os.close(job)
    os.close(results)
    pidfd = os.pidfd_open(pid)
    socket.send_fds(control, [struct.pack("<I", pid)], [pidfd])
    waiting = select.poll()
    waiting.register(pidfd, select.POLLIN)
    waiting.register(control, select.POLLHUP)
    counter = None
    if walls.listener is not None:
        waiting.register(walls.listener, select.POLLIN)
        counter = ThreadCounter(walls.listener, pidfd)
    while pidfd not in (ready := {fd for fd, _ in waiting.poll()}):
        if control.fileno() in ready:
            os.kill(pid, signal.SIGKILL)  # the grader is gone
            break
        assert counter is not None  # nothing else is waited for
        counter.answer()
    _, status, usage = os.wait4(pid, 0)
    os.close(pidfd)
    ours = counter is not None and counter.exhausted
    control.send(EXIT.pack(status, usage.ru_utime + usage.ru_stime, ours))


def _child(allowed: tuple[int, int], job_fd: int, results_fd: int, walls: _Walls) -> None:
    """Confines this process, then serves one submission. ``allowed`` is CPU seconds and bytes of memory."""
    from . import frames, serve  # not above, because they import NumPy and torch; see _preload

    landlock = walls.landlock
    try:
        confine.die_with_parent()
        confine.default_signals()
        os.setsid()
        if walls.proc is not None:
            confine.be_nice_as_a_session(walls.proc)
        keep = (landlock.fd,) if landlock else ()
        # Opened here: all children would share flags and offsets of what the zygote had opened.
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        (*moved,) = confine.arrange_descriptors(job_fd, results_fd, null, keep)
        cpu_seconds, memory = allowed
        confine.limit_resources(cpu_seconds, confine.address_space() + memory, "userns" in walls.spaces)
        confine.hide()
        os.dup2(0, 4, inheritable=False)  # tasks arrive on 4, where no input() waits for them
        os.dup2(1, 0)
        layers = []
        if landlock:
            confine.Landlock(moved[0], landlock.abi).enter()
            os.close(moved[0])
            layers.append(f"landlock-{landlock.abi}")
        confine.seccomp(walls.seccomp)
        layers = ["seccomp", *layers, "rlimits", *walls.spaces]
    except BaseException as error:
        serve.send(3, frames.FAILED, f"{type(error).__name__}: {error}")
        return
    serve.serve(4, 3, layers)


# -------------------------------------------------------------------------------- what can be imported
# Imports an exact set of packages, whatever else is installed in the same folder.
#
# ``sys.path`` holds only the standard library. This finder knows the path of each allowed top-level name. Anything else
# does not exist: it raises ``ImportError``, as libraries that look for optional packages expect.


class PackageFinder(importlib.abc.MetaPathFinder):
    """A finder for a table of top-level names. Their submodules are found through their ``__path__``."""

    def __init__(self, paths: dict[str, str]) -> None:
        self._paths: dict[str, str] = {}
        for entry, path in paths.items():
            # "numpy.libs" and "torch-2.4.dist-info" are folders to read, not packages to import.
            name = entry if os.path.isdir(path) else entry.partition(".")[0]
            if name.isidentifier():
                self._paths[name] = path

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of an allowed top-level package or module; None for others."""
        place = self._paths.get(fullname)
        if place is None:
            return None
        if not os.path.isdir(place):
            return importlib.util.spec_from_file_location(fullname, place)
        init = os.path.join(place, "__init__.py")
        if os.path.exists(init):
            return importlib.util.spec_from_file_location(fullname, init, submodule_search_locations=[place])
        spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [place]
        return spec


def install(stdlib: list[str], paths: dict[str, str]) -> None:
    """From now on, only ``stdlib`` and the packages in ``paths`` can be imported."""
    sys.path[:] = stdlib
    sys.path_importer_cache.clear()
    sys.meta_path.append(PackageFinder(paths))


# --------------------------------------------------------------------------------------------- threads
# Limits the threads of a child. The kernel asks the zygote before each new one, and the zygote refuses too many.
#
# RLIMIT_NPROC is not enough: it does not bind user 0 of the machine, and without a user namespace it counts everything
# that the user runs. A filter on the zygote, which its children inherit, suspends every clone that makes a thread until
# the zygote has answered (seccomp_unotify(2)). The zygote does not look at the child's memory for that, so nothing can
# change between question and answer. The child's own filter decides which kinds of clone are allowed.


#: The most threads at a time, and in the whole life of a child.
MAX_LIVING, MAX_STARTED = 64, 1024
#: A child that asks more often is killed, because each question costs the zygote time that no limit counts.
MAX_REQUESTS = 4096

_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION, _ANSWER = struct.Struct("<Q72x"), struct.Struct("<QqiI")
_CONTINUE = 1

_libc = ctypes.CDLL(None, use_errno=True)


def listen(program: bytes, call: int) -> int | None:
    """Installs ``program`` with the system call seccomp(2), whose number is ``call``.

    Returns the descriptor on which questions arrive; None if the kernel does not support this, or if another process
    above this one listens already.
    """
    if not program or call < 0:
        return None
    filter_ = confine.Filter(len(program) // 8, program)
    fd = int(_libc.syscall(call, _SET_MODE_FILTER, ctypes.c_uint(_NEW_LISTENER), ctypes.byref(filter_)))
    return fd if fd >= 0 else None


class ThreadCounter:
    """Answers the questions of one child, identified by ``pidfd``."""

    def __init__(self, listener: int, pidfd: int) -> None:
        self._listener = listener
        self._pidfd = pidfd
        self._made = self._asked = 0

    @property
    def exhausted(self) -> bool:
        """Whether the child asked too often and was killed."""
        return self._asked > MAX_REQUESTS

    def answer(self) -> None:
        """Answers one question. The thread that asked may be gone by now."""
        question = bytearray(_QUESTION.size)
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fcntl.ioctl(self._listener, _RECEIVE, question)
            (number,) = _QUESTION.unpack(question)
            self._asked += 1
            if self.exhausted:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
                return
            yes = self._one_more()
            self._made += yes
            answer = _ANSWER.pack(number, 0, 0 if yes else -errno.EAGAIN, _CONTINUE if yes else 0)
            fcntl.ioctl(self._listener, _SEND, answer)

    def _one_more(self) -> bool:
        """Whether one more thread is allowed. If living threads cannot be counted, all ever made count as living."""
        living = _threads(self._pidfd)
        return self._made < MAX_STARTED and (self._made if living is None else living - 1) < MAX_LIVING


def _threads(pidfd: int) -> int | None:
    """How many threads the process has; None if that cannot be read."""
    try:
        pid = int(_field(f"/proc/self/fdinfo/{pidfd}", "Pid:"))
        return int(_field(f"/proc/{pid}/status", "Threads:"))
    except (OSError, StopIteration):
        return None


def _field(path: str, name: str) -> str:
    # Bytes, because in text a carriage return would end a line, and the child can have one in its name.
    with open(path, "rb") as file:
        return next(line.split()[1].decode() for line in file if line.startswith(name.encode()))

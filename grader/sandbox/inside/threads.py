"""Limits the threads of a child. The kernel asks the zygote before each new one, and the zygote refuses too many.

RLIMIT_NPROC is not enough: it does not bind user 0 of the machine, and without a user namespace it counts everything
that the user runs. A filter on the zygote, which its children inherit, suspends every clone that makes a thread until
the zygote has answered (seccomp_unotify(2)). The zygote does not look at the child's memory for that, so nothing can
change between question and answer. The child's own filter decides which kinds of clone are allowed.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import signal
import struct

#: The most threads at a time, and in the whole life of a child.
MAX_LIVING, MAX_STARTED = 64, 1024
#: A child that asks more often is killed, because each question costs the zygote time that no limit counts.
MAX_REQUESTS = 4096

_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION, _ANSWER = struct.Struct("<Q72x"), struct.Struct("<QqiI")
_CONTINUE = 1

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def listen(program: bytes, call: int) -> int | None:
    """Installs ``program`` with the system call seccomp(2), whose number is ``call``.

    Returns the descriptor on which questions arrive; None if the kernel does not support this, or if another process
    above this one listens already.
    """
    if not program or call < 0:
        return None
    filter_ = _Program(len(program) // 8, program)
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
            fcntl.ioctl(
                self._listener, _SEND, _ANSWER.pack(number, 0, 0 if yes else -errno.EAGAIN, _CONTINUE if yes else 0)
            )

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

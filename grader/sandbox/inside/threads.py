"""How many threads a child may have. The zygote is asked before each new one, and says no when there are too many.

RLIMIT_NPROC alone does not do: it does not bind user 0 of the machine, and without a user namespace it counts all that
the user runs. A filter on the zygote, which its children inherit, holds every clone that makes a thread until the
zygote has answered (seccomp_unotify(2)). No memory of the child is looked at for that, so nothing can change between
question and answer; what kind of clone it may be, the child's own filter decides.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import signal
import struct

#: Threads at the same time, and in the whole life of a child.
AT_ONCE, IN_ALL = 64, 1024
#: Who asks more often than this is ended: each question takes time of the zygote's, which is on nobody's clock.
ASKED = 4096

_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION, _ANSWER = struct.Struct("<Q72x"), struct.Struct("<QqiI")
_CONTINUE = 1

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def listen(program: bytes, call: int) -> int | None:
    """Installs ``program`` by the system call seccomp(2), whose number is ``call``; the descriptor that questions come
    on. None where the kernel has no such thing, or somebody above us listens already.
    """
    if not program or call < 0:
        return None
    filter_ = _Program(len(program) // 8, program)
    fd = int(_libc.syscall(call, _SET_MODE_FILTER, ctypes.c_uint(_NEW_LISTENER), ctypes.byref(filter_)))
    return fd if fd >= 0 else None


class Counter:
    """The answers for one child, held by ``pidfd``."""

    def __init__(self, listener: int, pidfd: int) -> None:
        self._listener = listener
        self._pidfd = pidfd
        self._made = self._asked = 0

    @property
    def exhausted(self) -> bool:
        """Whether the child was killed for asking too often."""
        return self._asked > ASKED

    def answer(self) -> None:
        """Answers one question. Who asked may be gone by now."""
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
                self._listener,
                _SEND,
                _ANSWER.pack(number, 0, 0 if yes else -errno.EAGAIN, _CONTINUE if yes else 0),
            )

    def _one_more(self) -> bool:
        """Whether there is room. Where the living cannot be counted, all that were ever made are taken to live."""
        living = _threads(self._pidfd)
        return self._made < IN_ALL and (self._made if living is None else living - 1) < AT_ONCE


def _threads(pidfd: int) -> int | None:
    """How many threads the process has."""
    try:
        pid = int(_field(f"/proc/self/fdinfo/{pidfd}", "Pid:"))
        return int(_field(f"/proc/{pid}/status", "Threads:"))
    except (OSError, StopIteration):
        return None


def _field(path: str, name: str) -> str:
    # Bytes: in text a carriage return ends a line, and the child can give itself a name with one in it.
    with open(path, "rb") as file:
        return next(line.split()[1].decode() for line in file if line.startswith(name.encode()))

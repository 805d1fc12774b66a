"""Gives up all privileges that a submission does not need: namespaces, capabilities, rlimits, Landlock and seccomp.

A thin layer over system calls, through ctypes. ``namespaces`` and ``drop_capabilities`` run once, in the zygote, before
NumPy and torch are imported. ``Landlock`` prepares its rule set there, too. ``enter`` runs in every child, after the
fork and before any learner code. Sources: landlock(7), seccomp(2), prctl(2), user_namespaces(7), capabilities(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
from dataclasses import dataclass

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 21, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
SECCOMP_MODE_FILTER = 2

_NAMESPACES = {
    "userns": 0x10000000,
    "pidns": 0x20000000,
    "netns": 0x40000000,
    "ipcns": 0x08000000,
    "utsns": 0x04000000,
    "mountns": 0x00020000,
}

# mount_setattr(2): the same number on every architecture.
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _RDONLY = 442, -100, 0x8000, 1
# mount(2).
_NOSUID, _NODEV, _NOEXEC = 2, 4, 8

# Landlock: system calls (the same number on every architecture) and rights by ABI version.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_FS_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_NET_RIGHTS = 0b11  # bind and connect, since ABI 4
_SCOPES = 0b11  # abstract sockets and signals, since ABI 6


class ConfineError(OSError):
    """A requested layer could not be entered."""


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise ConfineError(number, f"{what}: {os.strerror(number)}")


def namespaces() -> tuple[str, ...]:
    """Moves this process into new namespaces of every kind, or of none; returns their names.

    The next fork is process 1 of the new PID namespace. Outside, the process keeps its user; inside, it has an
    unprivileged id that cannot be changed.
    """
    uid, gid = os.geteuid(), os.getegid()
    if _libc.unshare(sum(_NAMESPACES.values())) != 0:  # each is a bit of its own
        return ()
    for name, text in (("setgroups", "deny"), ("uid_map", f"65534 {uid} 1"), ("gid_map", f"65534 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    read_only()
    return tuple(_NAMESPACES)


class _MountAttr(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns"))


def read_only() -> bool:
    """Makes every mount in this process's mount namespace read-only; False if the kernel cannot.

    Then nothing can be written even if another layer fails, and reading a file does not change its access time, which
    the next child could look at.
    """
    attr = _MountAttr(set=_RDONLY)
    arguments = (_AT_FDCWD, b"/", ctypes.c_uint(_AT_RECURSIVE), ctypes.byref(attr), ctypes.c_size_t(32))
    return int(_libc.syscall(_MOUNT_SETATTR, *arguments)) == 0


def own_proc() -> bool:
    """Mounts a /proc that shows this PID namespace alone; False if the kernel refuses, as where /proc is masked.

    Process 1 of the namespace calls this, inside ``namespaces``. With the /proc of the machine, ``stat`` would tell
    which numbers its processes have.
    """
    flags = _RDONLY | _NOSUID | _NODEV | _NOEXEC
    return int(_libc.mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(flags), None)) == 0


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_capabilities() -> None:
    """Permanently empties every capability set: bounding, ambient, inheritable, permitted, effective."""
    for capability in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # past the last one, or none to drop
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = _CapHeader(0x20080522, 0)
    _check(_libc.capset(ctypes.byref(header), ctypes.byref((_CapData * 2)())), "capset")


def hide() -> None:
    """Forbids core dumps, ptrace and /proc access by processes of the same user, and gaining new privileges."""
    _check(_libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "PR_SET_DUMPABLE")
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS")


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("fd", ctypes.c_int32))


def landlock_abi() -> int:
    """The version of Landlock that the kernel offers; 0 if there is none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


@dataclass(frozen=True, slots=True)
class Landlock:
    """A rule set that a process can enter. ``fd`` is a descriptor in the zygote."""

    fd: int
    abi: int

    @classmethod
    def prepare(cls, readable: list[str], highest_abi: int) -> Landlock | None:
        """Forbids everything except reading files below ``readable``; None if there is no Landlock."""
        abi = min(landlock_abi(), highest_abi)
        if abi < 1:
            return None
        rights = _FS_RIGHTS[max(version for version in _FS_RIGHTS if version <= abi)]
        attr = _RulesetAttr(rights, _NET_RIGHTS if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
        size = 24 if abi >= 6 else 16 if abi >= 4 else 8
        fd = int(_libc.syscall(_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(size), ctypes.c_uint32(0)))
        _check(fd, "landlock_create_ruleset")
        for path in readable:
            with contextlib.suppress(FileNotFoundError):
                _allow(fd, path)
        return cls(fd, abi)

    def enter(self) -> None:
        """Restricts this process and all processes that it starts."""
        _check(_libc.syscall(_RESTRICT_SELF, self.fd, ctypes.c_uint32(0)), "landlock_restrict_self")


def _allow(ruleset: int, path: str) -> None:
    target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE
        rule = _PathAttr(rights, target)
        _check(_libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), ctypes.c_uint32(0)), f"landlock: {path}")
    finally:
        os.close(target)


class Filter(ctypes.Structure):
    """A filter for system calls, as the kernel takes it (``sock_fprog``)."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def seccomp(program: bytes) -> None:
    """Permanently installs a BPF filter for system calls (seccomp(2))."""
    prog = Filter(len(program) // 8, program)
    _check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(prog), 0, 0), "seccomp")


def filters() -> bool:
    """Whether the kernel supports seccomp filters."""
    return int(_libc.prctl(PR_GET_SECCOMP, 0, 0, 0, 0)) >= 0


def address_space() -> int:
    """Bytes of address space that this process has mapped."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def shared_memory() -> list[str]:
    """The writable mappings that this process shares with its children, through which children could communicate."""
    with open("/proc/self/maps") as file:
        return [line.strip() for line in file if line.split(maxsplit=2)[1].endswith("s") and "w" in line.split()[1]]


def limit_resources(cpu_seconds: int, memory: int, own_user_namespace: bool) -> None:
    """Sets rlimits for a child. ``memory`` is its whole address space in bytes."""
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: cpu_seconds + 1,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if own_user_namespace:  # otherwise it would count the user's other processes
        limits[resource.RLIMIT_NPROC] = 128
    for which, value in limits.items():
        _, hard = resource.getrlimit(which)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # SIGXCPU a second before SIGKILL, to show the grader which limit was reached.
        soft = max(1, bound - 1) if which == resource.RLIMIT_CPU else bound
        resource.setrlimit(which, (soft, bound))


def arrange_descriptors(job: int, results: int, null: int, keep: tuple[int, ...]) -> tuple[int, ...]:
    """Moves ``job`` to 0, ``null`` to 1 and 2, ``results`` to 3; returns new numbers for ``keep``; closes the rest."""
    # Everything is moved out of the way first, because dup2 onto a number in use would close it.
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 200) for fd in (job, null, null, results)]
    kept = tuple(fcntl.fcntl(fd, fcntl.F_DUPFD, 300 + 10 * at) for at, fd in enumerate(keep))
    for number, fd in enumerate(high):
        os.dup2(fd, number, inheritable=False)
    last = 4
    for fd in sorted(kept):
        os.closerange(last, fd)
        last = fd + 1
    os.closerange(last, 1 << 16)
    return kept


class Expendable:
    """Forks children that the kernel kills before their parent when memory is short (oom_score_adj, proc(5)).

    A confined child cannot write to /proc, so the parent raises its own score during the fork, and the child inherits
    it. Raising it and restoring it needs no privilege. If /proc does not allow it, children have the parent's score.
    """

    def __init__(self, proc: int | None) -> None:
        """``proc`` is a descriptor of /proc, opened before its mount became read-only."""
        self._file: int | None = None
        self._usual = b""
        with contextlib.suppress(OSError):
            if proc is not None:
                self._file = os.open("self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC, dir_fd=proc)
                self._usual = os.pread(self._file, 16, 0)

    def fork(self) -> int:
        """As ``os.fork``."""
        self._set(b"1000")
        pid = -1
        try:
            pid = os.fork()
        finally:
            if pid != 0:
                self._set(self._usual)
        return pid

    def _set(self, score: bytes) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._file, score, 0)


def is_nice() -> bool:
    """Whether the priority of this process was lowered."""
    return os.getpriority(os.PRIO_PROCESS, 0) > 0


def be_nice_as_a_session(proc: int) -> None:
    """Gives this session the priority of its process. ``proc`` is a descriptor of /proc; see ``Expendable``.

    Some kernels divide processors among sessions first, and respect the priorities of processes only within a session
    (sched(7), "The autogroup feature"). This undoes part of ``hide``, which must be called again.
    """
    _check(_libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "PR_SET_DUMPABLE")  # or the file would belong to root
    with contextlib.suppress(OSError):
        file = os.open("self/autogroup", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        os.write(file, str(os.getpriority(os.PRIO_PROCESS, 0)).encode())
        os.close(file)


def default_signals() -> None:
    """Restores the default action of every signal and unblocks all."""
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())


def die_with_parent() -> None:
    """Makes the kernel kill this process when its parent (the zygote) ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "PR_SET_PDEATHSIG")


def collapse() -> None:
    """Requests huge pages for this process's anonymous memory (MADV_COLLAPSE), so that forks copy smaller page tables.

    This only makes batches faster; a kernel that cannot do it is not an error.
    """
    with open("/proc/self/maps") as file:
        lines = file.read().splitlines()
    for line in lines:
        span, mode, _, device, *rest = line.split()
        if mode.startswith("rw") and device == "00:00" and (len(rest) < 2 or rest[1] == "[heap]"):
            start, end = (int(edge, 16) for edge in span.split("-"))
            _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), 25)

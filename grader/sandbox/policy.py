"""What a child may do: which system calls it may make, which files it may read, and what it may import.

The grader decides this and passes it to the zygote as data: BPF programs and lists of paths.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from grader.core import installed
from grader.core.errors import LibrariesChanged
from grader.core.model import Message

_ROOTS = installed.ROOTS

#: Harmless system calls: memory, time, threads, and reading files that are open or that Landlock allows to open.
_ALLOWED = """
    access arch_prctl brk capget close close_range dup dup2 dup3
    epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 exit exit_group faccessat faccessat2 fadvise64
    fstat fstatfs futex getcwd getdents64 getegid geteuid getgid getgroups getpgid getpgrp getpid getppid
    getrandom getresgid getresuid getrlimit getrusage getsid gettid gettimeofday getuid get_mempolicy
    get_robust_list lseek lstat madvise mmap mprotect mremap munmap nanosleep newfstatat
    pipe pipe2 poll ppoll pread64 preadv pselect6 read readlink readlinkat readv restart_syscall rseq
    rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_getaffinity
    sched_getparam sched_getscheduler sched_yield select set_robust_list set_tid_address sigaltstack stat
    statfs statx sysinfo time times uname wait4 waitid write writev
"""

#: A clone that makes a thread must have these flags: CLONE_VM, FS, FILES, SIGHAND and THREAD.
_CLONE_THREAD = 0x00010000
_THREAD = 0x00000100 | 0x00000200 | 0x00000400 | 0x00000800 | _CLONE_THREAD
#: It may have those that C libraries add (SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, DETACHED, CHILD_SETTID) but
#: no others: some create namespaces, and with VFORK the caller seems to wait for a disk.
_MAY_BE_THREAD = 0x00040000 | 0x00080000 | 0x00100000 | 0x00200000 | 0x00400000 | 0x01000000
_NOT_THREAD = 0xFFFFFFFF & ~(_THREAD | _MAY_BE_THREAD)
_WRITING = (
    os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, "O_TMPFILE", 0) & ~os.O_DIRECTORY
)
_FCNTL = (0, 1, 2, 3, 4, 5, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_DUPFD_CLOEXEC
#: The clocks of other processes have negative ids. They would show what the zygote did for earlier children.
_OF_A_PROCESS = 0x80000000
_PRCTL = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA


#: Entries of the standard library's folder that do not belong to it, or that no submission needs.
_NOT_STDLIB = {
    *("site-packages", "dist-packages", "sitecustomize.py", "usercustomize.py"),
    *("__pycache__", "ensurepip", "idlelib", "test"),
}


def seccomp_program() -> bytes:
    """The list of allowed system calls as BPF; empty if libseccomp is missing."""
    try:
        return _program()
    except (ImportError, OSError, RuntimeError):  # not cached, because it may be installed later
        return b""


def thread_program() -> tuple[bytes, int]:
    """A BPF filter that notifies the zygote of each new thread, and the number of seccomp(2), which installs it.

    Empty and -1 if libseccomp is missing or too old.
    """
    try:
        return _thread_program()
    except (ImportError, OSError, RuntimeError, ValueError):
        return b"", -1


@cache
def _thread_program() -> tuple[bytes, int]:
    import pyseccomp as seccomp  # fails without libseccomp, as on other systems than Linux

    ask = seccomp.SyscallFilter(seccomp.ALLOW)
    ask.add_rule(seccomp.NOTIFY, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD))
    return _exported(ask), seccomp.resolve_syscall(seccomp.system_arch(), "seccomp")


@cache
def _program() -> bytes:
    import pyseccomp as seccomp  # fails without libseccomp, as on other systems than Linux

    deny = seccomp.SyscallFilter(seccomp.ERRNO(1))  # EPERM
    same, masked = seccomp.EQ, seccomp.MASKED_EQ

    def rule(action: int, name: str, *conditions: object) -> None:
        with contextlib.suppress(OSError, ValueError, RuntimeError):  # this architecture lacks the call
            deny.add_rule(action, name, *conditions)

    for name in _ALLOWED.split():
        rule(seccomp.ALLOW, name)
    rule(seccomp.ALLOW, "clone", seccomp.Arg(0, masked, _THREAD | _NOT_THREAD, _THREAD))
    rule(seccomp.ERRNO(38), "clone3")  # ENOSYS: the C library falls back to clone
    rule(seccomp.ERRNO(38), "openat2")
    rule(seccomp.ALLOW, "open", seccomp.Arg(1, masked, _WRITING, 0))
    rule(seccomp.ALLOW, "openat", seccomp.Arg(2, masked, _WRITING, 0))
    rule(seccomp.ALLOW, "prlimit64", seccomp.Arg(2, same, 0))
    rule(seccomp.ERRNO(25), "ioctl")  # ENOTTY
    for name in ("clock_getres", "clock_gettime", "clock_nanosleep"):
        rule(seccomp.ALLOW, name, seccomp.Arg(0, masked, _OF_A_PROCESS, 0))
    for command in _FCNTL:
        rule(seccomp.ALLOW, "fcntl", seccomp.Arg(1, same, command))
    for option in _PRCTL:
        rule(seccomp.ALLOW, "prctl", seccomp.Arg(0, same, option))
    return _exported(deny)


def _exported(filter_: Any) -> bytes:
    with open(os.memfd_create("filter"), "r+b") as file:
        filter_.export_bpf(file)
        file.seek(0)
        return file.read()


def _stdlib_entries() -> tuple[str, ...]:
    """The files and folders of the standard library, without those that packages are installed in."""
    found: dict[str, None] = {}
    for key in ("stdlib", "platstdlib"):
        folder = Path(sysconfig.get_paths()[key])
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            if entry.name not in _NOT_STDLIB:
                found[str(entry.resolve())] = None
    return tuple(found)


def stdlib_path() -> tuple[str, ...]:
    """``sys.path`` of an interpreter without site-packages."""
    paths = sysconfig.get_paths()
    folders = dict.fromkeys([paths["stdlib"], paths["platstdlib"]])
    dynload = [os.path.join(folder, "lib-dynload") for folder in folders]
    return (*folders, *(folder for folder in dynload if os.path.isdir(folder)))


def packages(allowed: tuple[str, ...] = ()) -> dict[str, Path]:
    """The top-level entries (name → file or folder) of torch, NumPy, ``allowed`` packages, and all that these require.

    Raises CourseError if one of ``allowed`` is not installed, or requires a package that learner code must not have.
    """
    found: dict[str, Path] = {}
    for distribution in installed.closure((*_ROOTS, *installed.distributions(allowed, _ROOTS))):
        for name, path in _top_level(distribution):
            found.setdefault(name, path)
    for root in _ROOTS:
        if root not in found:
            spec = importlib.util.find_spec(root)
            if spec and spec.submodule_search_locations:
                found[root] = Path(spec.submodule_search_locations[0])
    return found


def _top_level(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, Path]]:
    record = distribution.read_text("RECORD") or ""
    names = {line.partition("/")[0] for line in record.splitlines() if "/" in line}
    names |= {line.partition(",")[0] for line in record.splitlines() if "/" not in line}
    for name in sorted(names):
        # A RECORD may also list a shared __pycache__, scripts ("..") and .pth files, which are not packages.
        if name and name not in ("..", "__pycache__") and not name.endswith(".pth"):
            path = Path(str(distribution.locate_file(name)))
            if path.exists():
                yield name, path


def readable(found: dict[str, Path]) -> tuple[str, ...]:
    """The paths that Landlock lets children read, without the system libraries, which the zygote adds."""
    system = ("/etc/ld.so.cache", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom")
    return (*_stdlib_entries(), *(str(path.resolve()) for path in found.values()), *system)


# ------------------------------------------------------------------------------- libraries that change
# Detects that the libraries which learner code runs on have changed, so that its results cannot be trusted.
#
# The zygote imports NumPy and torch once, but they load parts of themselves later, in children, as do the packages that
# a course allows. If the environment is deleted, upgraded or reinstalled meanwhile, correct code fails there.


#: Folders without code: what Python writes itself and what C++ extensions are built from.
_SKIPPED = frozenset({"__pycache__", "include", "share"})

#: The modification time of a folder in nanoseconds, and its entries by name and inode.
_Folder: TypeAlias = tuple[int, frozenset[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of some libraries at one moment.

    ``places`` are the files and folders of the libraries, ``folders`` has every folder below them. ``digest`` depends
    on the names of all files but not on where they are or when they were written.
    """

    places: dict[str, bool]
    folders: dict[str, _Folder]
    digest: str

    @classmethod
    def take(cls, places: Iterable[Path]) -> Snapshot:
        """Lists everything below ``places``, in a few hundredths of a second for torch and NumPy."""
        known = {str(path): path.exists() for path in places}
        folders: dict[str, _Folder] = {}
        digest = hashlib.sha256()
        for place in sorted(known):
            digest.update(f"{os.path.basename(place)}\0{known[place]}\0".encode(errors="surrogateescape"))
            for path, folder in _walk(place):
                folders[path] = folder
                names = sorted(name for name, _ in folder[1])
                words = (path.removeprefix(place), *names)
                digest.update("\0".join(words).encode(errors="surrogateescape"))
        return cls(known, folders, digest.hexdigest())

    def changed(self) -> str | None:
        """The first file or folder that is found to have changed; None if there is none."""
        gone = next((place for place, there in self.places.items() if there != os.path.exists(place)), None)
        return gone or next((path for path, before in self.folders.items() if not _same(path, before)), None)

    def verify(self) -> None:
        """Raises LibrariesChanged if something has changed since the snapshot was taken."""
        if (path := self.changed()) is not None:
            raise LibrariesChanged(CHANGED.fill(path=path))


#: ``path`` is what changed.
CHANGED = Message(
    "the libraries that submissions run on changed while they were in use ({path}), so the last results could not be "
    "graded and cost no points. Was the Python environment updated or removed? Make sure that torch and NumPy are "
    "installed, and run the command again"
)
#: The ``path`` in ``CHANGED`` if the libraries are not those that a batch began with.
OTHER_FILES = Message("files were added or removed")


def libraries_digest(allowed: tuple[str, ...]) -> str:
    """The digest of everything that submissions may import, with these packages of a course."""
    return Snapshot.take(packages(allowed).values()).digest


def _walk(place: str) -> Iterator[tuple[str, _Folder]]:
    """Every folder from ``place`` down, in a fixed order; nothing if ``place`` is a file or does not exist."""
    waiting = [place]
    while waiting:
        path = waiting.pop()
        try:
            written = os.stat(path).st_mtime_ns  # before the entries are read: a change in between shows later
            entries, below = _entries(path)
        except OSError:
            continue  # a file, or a folder just deleted, which its parent's entries show
        yield path, (written, entries)
        waiting += sorted((os.path.join(path, name) for name in below), reverse=True)


def _entries(path: str) -> tuple[frozenset[tuple[str, int]], list[str]]:
    """The entries of a folder except skipped ones, and the names of those that are folders."""
    found, below = [], []
    with os.scandir(path) as listing:
        for entry in listing:
            if entry.name not in _SKIPPED and not (entry.name == "licenses" and path.endswith(".dist-info")):
                found.append((entry.name, entry.inode()))
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.name)
    return frozenset(found), below


def _same(path: str, before: _Folder) -> bool:
    """Whether a folder has the same entries; its time may have changed because Python added a __pycache__."""
    try:
        return os.stat(path).st_mtime_ns == before[0] or _entries(path)[0] == before[1]
    except OSError:
        return False

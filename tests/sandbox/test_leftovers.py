"""A child leaves nothing behind for the next one, of the same submission or of another learner's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.core.model import Call, Died, Job, Limits, Program, Returned
from grader.sandbox import Sandbox

#: Everything of a process that could outlive it, or that processes with one parent share: how to change it, and how
#: to look at it. A change is either refused or takes effect in the process that makes it, and in no other.
TABLE: dict[str, tuple[str, str]] = {
    # open file descriptions
    "status flags": (
        "[fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK) for fd in range(5)]",
        "[fcntl.fcntl(fd, fcntl.F_GETFL) for fd in range(5)]",
    ),
    "asynchronous signals": (
        "[fcntl.fcntl(fd, fcntl.F_SETFL, os.O_ASYNC) for fd in range(3, 5)]",
        "[fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ASYNC for fd in range(5)]",
    ),
    "offsets": (
        "os.lseek(LIBRARY, 77, os.SEEK_SET)",
        "[of(lambda: os.lseek(fd, 0, os.SEEK_CUR)) for fd in (*range(5), LIBRARY)]",
    ),
    "owners of descriptors": ("fcntl.fcntl(1, fcntl.F_SETOWN, os.getpid())", "fcntl.fcntl(1, fcntl.F_GETOWN)"),
    "signals of descriptors": ("fcntl.fcntl(4, fcntl.F_SETSIG, 34)", "fcntl.fcntl(4, fcntl.F_GETSIG)"),
    "close on exec": ("fcntl.fcntl(1, fcntl.F_SETFD, 0)", "[fcntl.fcntl(fd, fcntl.F_GETFD) for fd in range(5)]"),
    "more descriptors": ("os.dup2(1, 60)", "[fd for fd in range(64) if of(lambda: os.fstat(fd)) != 'OSError']"),
    "capacity of pipes": (
        "fcntl.fcntl(4, fcntl.F_SETPIPE_SZ, 1 << 16)",
        "[of(lambda: fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ)) for fd in (3, 4)]",
    ),
    "contents of pipes": ("os.write(4, b'x')", "[select.select([fd], [], [], 0)[0] for fd in (4,)]"),
    # locks of inodes
    "flock": ("fcntl.flock(LIBRARY, fcntl.LOCK_EX)", "of(lambda: fcntl.flock(LIBRARY, fcntl.LOCK_EX | 4))"),
    "record locks": ("fcntl.lockf(LIBRARY, fcntl.LOCK_SH)", "locked(fcntl.F_GETLK)"),
    "locks of descriptions": ("fcntl.fcntl(LIBRARY, 37, WHOLE)", "locked(36)"),
    "leases": ("fcntl.fcntl(LIBRARY, fcntl.F_SETLEASE, fcntl.F_RDLCK)", "fcntl.fcntl(LIBRARY, fcntl.F_GETLEASE)"),
    "folders that are watched": ("fcntl.fcntl(LIBRARY, fcntl.F_NOTIFY, 1)", "0"),
    # memory
    "shared memory": (
        "globals().update(MINE=mmap.mmap(-1, 4096)); MINE.__setitem__(0, 7)",
        "[m[0] for m in gc.get_objects() if isinstance(m, mmap.mmap)]",
    ),
    "Python": ("setattr(os, 'left', 7)", "getattr(os, 'left', 0)"),
    "torch": ("torch.set_default_dtype(torch.float64)", "torch.get_default_dtype()"),
    "environment": ("os.environ.__setitem__('LEFT', '7'); os.putenv('LEFT', '7')", "os.environ.get('LEFT')"),
    "random numbers": ("random.seed(7)", "random.getstate()[1][:3]"),
    # the kernel's own things, by number or by name
    "System V memory": ("posix(libc.shmget(4711, 4096, 0o1666))", "posix(libc.shmget(4711, 0, 0))"),
    "System V semaphores": ("posix(libc.semget(4711, 1, 0o1666))", "posix(libc.semget(4711, 0, 0))"),
    "System V messages": ("posix(libc.msgget(4711, 0o1666))", "posix(libc.msgget(4711, 0))"),
    "POSIX messages": ("posix(libc.syscall(NR['mq_open'], b'left', 0o102, 0o666, 0))", "0"),
    "shared files": ("open('/dev/shm/left', 'w')", "os.listdir('/dev/shm')"),
    "semaphores": ("multiprocessing.synchronize.Lock()", "0"),
    "session keyring": (
        "posix(libc.syscall(NR['add_key'], b'user', b'left', b'x', 1, -3))",
        "posix(libc.syscall(NR['keyctl'], 10, -3, b'user', b'left', 0))",
    ),
    "user keyring": (
        "posix(libc.syscall(NR['add_key'], b'user', b'left', b'x', 1, -4))",
        "posix(libc.syscall(NR['keyctl'], 10, -4, b'user', b'left', 0))",
    ),
    "abstract sockets": ("socket.socket(socket.AF_UNIX).bind('\\0left')", "0"),
    "event counters": ("globals().update(COUNT=os.eventfd(7))", "of(lambda: os.eventfd_read(5))"),
    "polls": ("globals().update(POLL=select.epoll())", "of(lambda: os.fstat(6).st_ino)"),
    "notices of files": ("posix(libc.inotify_init())", "0"),
    "host name": ("socket.sethostname('left')", "os.uname().nodename"),
    # the process, and what its parent could have from it
    "process group": ("os.setpgid(0, 0)", "(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid())"),
    "name": ("posix(libc.prctl(15, b'left', 0, 0, 0))", "name()"),
    "subreaper": ("posix(libc.prctl(36, 1, 0, 0, 0))", "of(lambda: posix(libc.prctl(37, 0, 0, 0, 0)))"),
    "umask": ("os.umask(0o777)", "0"),
    "folder": ("os.chdir('/usr')", "os.getcwd()"),
    "root": ("os.chroot('/usr')", "0"),
    "limits": (
        "resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))",
        "[resource.getrlimit(n) for n in range(16) if n not in (resource.RLIMIT_CPU, resource.RLIMIT_AS)]",
    ),
    "limits of the parent": ("resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (50, 50))", "0"),
    "nice": ("os.nice(1)", "of(lambda: os.getpriority(os.PRIO_PROCESS, 0))"),
    "scheduling": (
        "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
        "(os.sched_getscheduler(0), os.sched_getscheduler(os.getppid()))",
    ),
    "processors": ("os.sched_setaffinity(0, {0})", "os.sched_getaffinity(0)"),
    "processors of the parent": ("os.sched_setaffinity(os.getppid(), {0})", "os.sched_getaffinity(os.getppid())"),
    "priority of input and output": ("posix(libc.syscall(NR['ioprio_set'], 1, 0, 3 << 13))", "0"),
    "memory policy": ("posix(libc.syscall(NR['set_mempolicy'], 1, 0, 0))", "0"),
    "signal handlers": (
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
        "[signal.getsignal(n) for n in (signal.SIGUSR1, signal.SIGINT, signal.SIGXCPU)]",
    ),
    "blocked signals": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})",
        "signal.pthread_sigmask(signal.SIG_BLOCK, ())",
    ),
    "pending signals": ("os.kill(os.getpid(), signal.SIGUSR1)", "signal.sigpending()"),
    "timers": ("signal.setitimer(signal.ITIMER_REAL, 1000)", "of(lambda: signal.getitimer(signal.ITIMER_REAL))"),
    "timers by number": ("posix(libc.timer_create(1, None, ctypes.byref(ctypes.c_long())))", "0"),
    "clocks": ("time.clock_settime(time.CLOCK_REALTIME, 0)", "time.time() > 1e9"),
    "terminal": ("os.open('/dev/tty', os.O_RDWR)", "0"),
    "processes": ("os.fork()", "of(lambda: os.wait())"),
}

#: Calls that Python has no function for, by their numbers on this machine.
NUMBERS = {
    "x86_64": {"mq_open": 240, "add_key": 248, "keyctl": 250, "ioprio_set": 251, "set_mempolicy": 238},
    "aarch64": {"mq_open": 180, "add_key": 217, "keyctl": 219, "ioprio_set": 30, "set_mempolicy": 237},
}

SOURCE = f"""
import ctypes, fcntl, gc, mmap, multiprocessing.synchronize, os, random, resource, select, signal, socket, struct, time
import platform
import torch

LIBRARY = os.open(os.__file__, os.O_RDONLY)
os.dup2(LIBRARY, 50)
os.close(LIBRARY)
LIBRARY = 50
WHOLE = struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0)
libc = ctypes.CDLL(None, use_errno=True)
NR = {NUMBERS!r}[platform.machine()]

def posix(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), '')
    return result

def of(look):
    try:
        return look()
    except Exception as error:
        return OSError.__name__ if isinstance(error, OSError) else type(error).__name__

def locked(command):
    return struct.unpack('hhqqi4x', fcntl.fcntl(LIBRARY, command, struct.pack('hhqqi4x', 1, 0, 0, 0, 0)))[0]

def name():
    word = ctypes.create_string_buffer(16)
    posix(libc.prctl(16, word, 0, 0, 0))
    return word.value

TABLE = {TABLE!r}

def look():
    return {{row: repr(of(lambda: eval(see, globals()))) for row, (_, see) in TABLE.items()}}

def change():
    refused = {{}}
    for row, (do, _) in TABLE.items():
        try:
            exec(do, globals())
        except Exception as error:
            refused[row] = type(error).__name__
    return [refused, look()]

def die():
    os._exit(1)
"""


def test_nothing_is_left_for_the_next_child(sandbox: Sandbox, make_job: Callable[..., Job]) -> None:
    """One child looks, changes all it can, looks again and dies. The next one and another learner's see no change."""
    programs = [
        Program("unit", (Call(name),), (0,), group=str(at)) for at, name in enumerate(("look", "change", "die", "look"))
    ]
    seen = sandbox.observe(make_job(SOURCE, *programs), Limits()).observations
    (other,) = sandbox.observe(make_job(SOURCE, programs[0]), Limits()).observations
    before, changed, died, after = seen
    assert isinstance(before, Returned) and isinstance(changed, Returned)
    assert died == Died(None, 1)
    refused, now = changed.values[0]
    effective = {row for row in TABLE if now[row] != before.values[0][row]}
    assert {row for row in TABLE if row not in refused} == effective  # each row is able to fail
    assert effective >= {"status flags", "asynchronous signals", "offsets", "name", "Python", "blocked signals"}
    assert after == other == before


def test_reading_a_file_leaves_no_time(sandbox: Sandbox, make_job: Callable[..., Job]) -> None:
    """Reading a file must not change its access time, which others can see; that needs a mount namespace."""
    if "mountns" not in sandbox.layers:
        pytest.skip("no mount namespace here")
    path = Path(os.__file__).with_name("this.py")  # nobody else reads it
    found = path.stat()
    try:
        os.utime(path, ns=(found.st_mtime_ns - 1, found.st_mtime_ns))  # so that the kernel would save the next time
    except OSError:
        pytest.skip("somebody else's files")
    source = f"""
        import os
        def look(): return os.stat({str(path)!r}).st_atime_ns
        def read(): return len(open({str(path)!r}).read()) > 0
    """
    try:
        seen = [sandbox.observe(make_job(source, name), Limits()).observations for name in ("look", "read", "look")]
    finally:
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert seen == [seen[0], (Returned((True,)),), seen[0]]
    assert isinstance(seen[0][0], Returned)


def test_processes_of_the_machine_have_no_numbers(sandbox: Sandbox, make_job: Callable[..., Job]) -> None:
    """Of the first 5,000 numbers, /proc shows two: the process itself and the one that forked it."""
    if "proc" not in sandbox.layers:
        pytest.skip("no /proc of its own here")
    source = """
        import os
        def count(): return sum(os.path.exists(f"/proc/{number}") for number in range(1, 5000))
    """
    assert sandbox.observe(make_job(source, "count"), Limits()).observations == (Returned((2,)),)


def test_clocks_of_other_processes_cannot_be_read(sandbox: Sandbox, make_job: Callable[..., Job]) -> None:
    """The zygote's clock, which shows earlier children's work, is refused; the child's own clocks work."""
    source = """
        import os, time
        def f():
            seen = []
            for pid in (1, os.getppid(), os.getpid()):
                for clock in ((~pid << 3) | 2, (~pid << 3) | 6):
                    try:
                        seen.append(time.clock_gettime(clock))
                    except OSError:
                        pass
            return [seen, min(time.process_time(), time.thread_time(), time.monotonic(), time.time()) > 0]
    """
    assert sandbox.observe(make_job(source, "f"), Limits()).observations == (Returned(([[], True],)),)

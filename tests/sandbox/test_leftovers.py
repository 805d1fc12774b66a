"""A child leaves nothing behind for the next one, of the same submission or of another learner's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from grader.core.model import Call, Died, Job, Limits, Program, Returned
from grader.sandbox import Sandbox

#: What could be left behind: how to change it, and how to look at it.
TABLE: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("leftovers.yaml").read_text("utf-8"))

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

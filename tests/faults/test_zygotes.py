"""The sandbox's processes end at bad moments or lack resources: correct results, or a message that says why not."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.core.errors import SandboxError, SandboxKilled, SandboxUnavailable
from grader.core.model import Call, Died, Job, Limits, Part, Program, Returned, SourceFile
from grader.sandbox import Sandbox, ZygoteSettings, open_sandbox, zygote
from grader.sandbox.children import ChildEnded
from grader.sandbox.inside import zygote as inner
from grader.sandbox.zygote import ConfinedChild, Zygote, ZygoteLost
from tests.sandbox.test_zygote import descendants, descriptors, gone, innermost

LIMITS = Limits(group_cpu=20, group_wall=20, import_cpu=20, import_wall=20, total_cpu=60, total_wall=60)
CODE = "import time\ndef good(): return 42\ndef slow(): time.sleep(0.4); return 43\ndef never(): time.sleep(3600)\n"


def job(*names: str) -> Job:
    """A job that calls functions in CODE."""
    programs = tuple(Program("a", (Call(name),), (0,)) for name in names)
    return Job((SourceFile("a.py", "a", (Part("a.py", CODE),)),), programs)


@pytest.fixture
def tidy() -> Iterator[None]:
    """Checks that no process and no descriptor is left."""
    before, open_before = set(descendants(os.getpid())), descriptors()
    yield
    assert gone(set(descendants(os.getpid())) - before)
    assert descriptors() == open_before


@contextlib.contextmanager
def few_files(spare: int) -> Iterator[None]:
    """Limits how many more files may be opened."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + spare, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# ------------------------------------------------------------------------------------- while it starts


@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM"])
@pytest.mark.usefixtures("tidy")
def test_killed_while_it_starts(signal_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is started once more, then an error is raised. Code is never run unconfined for that reason."""
    boots: list[str] = []
    monkeypatch.setattr(zygote, "_BOOT", f"import os, signal; os.kill(os.getpid(), signal.{signal_name})")
    launch = Zygote.launch

    def counted(settings: ZygoteSettings) -> Zygote:
        boots.append("once")
        return launch(settings)

    monkeypatch.setattr(Zygote, "launch", counted)
    with open_sandbox(mode="auto") as opened:
        with pytest.raises(ZygoteLost, match=f"was killed while it started .{signal_name}"):
            opened.observe(job("good"), LIMITS)
        assert len(boots) == 2
        opened.start()  # in the background nothing is raised
        with pytest.raises(ZygoteLost):
            _ = opened.unsafe


@pytest.mark.usefixtures("tidy")
def test_the_inner_process_killed_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer process reports it by its exit code."""
    monkeypatch.setattr(zygote, "_BOOT", "import os, signal; os._exit(-signal.SIGKILL & 0xFF)")
    with open_sandbox(mode="auto") as opened, pytest.raises(ZygoteLost, match="SIGKILL"):
        opened.children()


# ------------------------------------------------------------------------------------------ shortages


@pytest.mark.usefixtures("tidy")
def test_no_files_for_a_zygote() -> None:
    """With too few files, the error names the shortage, and code is not run unconfined instead."""
    refused = 0
    for spare in range(12):
        with open_sandbox(mode="auto") as opened, few_files(spare):
            try:
                opened.start()
            except SandboxError as error:
                refused += 1
                assert not isinstance(error, SandboxUnavailable)
                assert "too many open files" in str(error)
                assert "ulimit -n" in str(error)
    assert refused >= 3


@pytest.mark.usefixtures("tidy")
def test_no_process_for_a_zygote(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for a limit on processes."""

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with open_sandbox(mode="auto") as opened, pytest.raises(SandboxError, match="ulimit -u") as caught:
        opened.start()
    assert not isinstance(caught.value, SandboxUnavailable)


@pytest.mark.parametrize("spare", range(0, 8))
def test_no_files_for_a_child(spare: int, sandbox: Sandbox) -> None:
    """The same; once there are files again, the next submission is graded."""
    sandbox.children()
    before = descriptors()
    with few_files(spare):
        try:
            seen = sandbox.observe(job("good"), LIMITS).observations
        except SandboxError as error:
            said = str(error)
            seen = ()
            assert "too many open files" in said.lower()
    assert seen in ((), (Returned((42,)),))
    assert descriptors() == before


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), inner.EXIT_SHORTAGE),
        (OSError(errno.EMFILE, "Too many open files"), inner.EXIT_SHORTAGE),
        (OSError("libtorch_cpu.so: failed to map segment from shared object"), inner.EXIT_SHORTAGE),
        (ImportError("libc10.so: cannot open shared object file: Too many open files"), inner.EXIT_SHORTAGE),
        (ImportError("No module named 'torch'"), inner.EXIT_NO_LIBRARIES),
        (PermissionError(1, "Operation not permitted"), None),
    ],
)
def test_why_a_zygote_cannot_start(error: Exception, code: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exit code says so: short of something, without libraries, or anything else."""

    def live(fd: int) -> None:
        raise error

    def exited(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.setattr(inner, "_live", live)
    monkeypatch.setattr(os, "_exit", exited)
    with pytest.raises(type(error) if code is None else SystemExit) as ended:
        inner.main(0)
    assert getattr(ended.value, "code", None) == code
    assert (inner.EXIT_SHORTAGE, inner.EXIT_NO_LIBRARIES) == (zygote._SHORT, zygote._NO_LIBRARIES)


def test_a_zygote_that_is_short_of_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is started again, and code is never run without a wall for that reason."""
    monkeypatch.setattr(zygote, "_BOOT", f"raise SystemExit({inner.EXIT_SHORTAGE})")
    with (
        open_sandbox(mode="auto") as opened,
        pytest.raises(ZygoteLost, match="not enough memory, or the limit on open files"),
    ):
        opened.children()


def test_a_zygote_without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is missing; that is no layer of the sandbox."""
    monkeypatch.setattr(zygote, "_BOOT", f"raise SystemExit({inner.EXIT_NO_LIBRARIES})")
    said = r"could not import NumPy or torch.*import numpy, torch"
    with open_sandbox(mode="require") as opened, pytest.raises(SandboxUnavailable, match=said):
        opened.children()


# ------------------------------------------------------------------------------------- at any moment


@pytest.mark.prove
@pytest.mark.usefixtures("tidy")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("whom", ["outer", "inner"])
def test_killed_at_any_moment(whom: str, seed: int) -> None:
    """At any moment from its start to after the last child: correct results, and the same confinement."""
    chance = random.Random(f"{whom}{seed}")
    with open_sandbox(mode="require") as opened:
        opened.start()
        assert opened._zygote is not None
        started = opened._zygote._process.pid
        if seed >= 4:  # the first ones while torch is imported
            opened.children()
        delay = chance.uniform(0, 1.2)

        def kill() -> None:
            time.sleep(delay)
            with contextlib.suppress(ProcessLookupError):
                os.kill(started if whom == "outer" else innermost(opened), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        for _ in range(3):
            assert opened.observe(job("good", "slow", "good"), LIMITS).observations == tuple(
                Returned((value,)) for value in (42, 43, 42)
            )
        killer.join()
        assert "seccomp" in opened.layers


@pytest.mark.usefixtures("tidy")
def test_a_child_that_is_killed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a user or the kernel kills it (it is chosen before its zygote), what it was doing is repeated."""
    handed: list[int] = []
    scores: list[str] = []
    send = ConfinedChild.send

    def killing(child: ConfinedChild, frame: bytes) -> None:
        send(child, frame)
        handed.append(len(frame))
        if len(handed) == 3:  # its files, the file to load, and the programs, which take it a while
            (own,) = (pid for pid, parent in descendants(zygote_pid).items() if parent == zygote_pid)
            scores.extend(Path(f"/proc/{pid}/oom_score_adj").read_text().strip() for pid in (own, zygote_pid))
            os.kill(own, signal.SIGKILL)

    sandbox.children()
    zygote_pid = innermost(sandbox)
    monkeypatch.setattr(ConfinedChild, "send", killing)
    seen = sandbox.observe(job("good", "slow", "good", "good"), LIMITS).observations
    assert seen == (Returned((42,)), Returned((43,)), Returned((42,)), Returned((42,)))
    assert scores == ["1000", Path("/proc/self/oom_score_adj").read_text().strip()]


MEMORY = Path("/sys/fs/cgroup/memory")


@pytest.mark.prove
@pytest.mark.skipif(not os.access(MEMORY / "cgroup.procs", os.W_OK), reason="needs cgroup v1 and the right to use it")
def test_the_kernel_kills_for_want_of_memory() -> None:
    """In a cgroup below the code's own limit, the child is killed, the zygote stays, and it is nobody's fault."""
    group = MEMORY / f"attncheck-test-{os.getpid()}"
    text = "def hungry(): return sum(bytearray(700 << 20))\ndef good(): return 42\n"
    hungry, good = (Program("a", (Call(name),), (0,)) for name in ("hungry", "good"))
    files = (SourceFile("a.py", "a", (Part("a.py", text),)),)
    group.mkdir()
    try:
        with open_sandbox(mode="require") as opened:
            opened.children()
            inner_pid = innermost(opened)
            (group / "memory.limit_in_bytes").write_text(str(400 << 20))
            (group / "cgroup.procs").write_text(str(inner_pid))
            with pytest.raises(SandboxKilled, match="short of memory"):
                opened.observe(Job(files, (hungry,)), LIMITS)
            assert opened.observe(Job(files, (good,)), LIMITS).observations == (Returned((42,)),)
            assert innermost(opened) == inner_pid
    finally:
        group.rmdir()


@pytest.mark.parametrize(
    ("status", "used", "cpu_limit", "outside"),
    [
        (signal.SIGKILL, 1.0, False, True),
        (signal.SIGKILL, 6.0, True, False),  # it ignored SIGXCPU
        (signal.SIGKILL, -1.0, False, False),  # the zygote did it
        (signal.SIGXCPU, 5.0, True, False),
        (signal.SIGSEGV, 1.0, False, False),
        (3 << 8, 1.0, False, False),
    ],
)
def test_who_ended_a_child(status: int, used: float, cpu_limit: bool, outside: bool) -> None:
    """Children cannot send signals, so SIGKILL not due to the CPU limit comes from outside."""

    class Told:
        def exit_status(self) -> tuple[int, float, bool]:
            """As given."""
            return int(status), used, used < 0

    jobs, results = os.pipe()
    child = ConfinedChild(Told(), os.pidfd_open(os.getpid()), jobs, results, 5)  # type: ignore[arg-type]
    with pytest.raises(ChildEnded) as ended:
        child._end()
    assert (ended.value.cpu_limit, ended.value.outside) == (cpu_limit, outside)
    child._fair_clock.close()
    for fd in (child._pidfd, jobs, results):
        os.close(fd)


# -------------------------------------------------------------------------------------- pipes half-way

HALF = """
import os, struct
def {name}():
    os.write(3, struct.pack('<BQ', 5, 100) + b'x' * {sent})
    {then}
    return 1
def good(): return 42
"""


@pytest.mark.parametrize(
    ("then", "sent", "expected"),
    [
        ("os._exit(0)", 50, Died(None, 0, "call")),
        ("os.kill(os.getpid(), 9)", 0, None),
        ("os.close(3)", 99, None),
        ("os.abort()", 10, None),
    ],
)
def test_half_a_frame(then: str, sent: int, expected: Died | None, sandbox: Sandbox) -> None:
    """Half a frame costs its own program and no other."""
    text = HALF.format(name="f", then=then, sent=sent)
    programs = tuple(Program("a", (Call(name),), (0,)) for name in ("f", "good"))
    bad, good = sandbox.observe(Job((SourceFile("a.py", "a", (Part("a.py", text),)),), programs), LIMITS).observations
    assert not isinstance(bad, Returned)
    assert expected is None or bad == expected
    assert good == Returned((42,))


@pytest.mark.prove
@pytest.mark.usefixtures("tidy")
@pytest.mark.parametrize("how", [socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR])
def test_the_control_socket_is_shut(how: int) -> None:
    """However the socket is shut, there is a new zygote and a correct result."""
    with open_sandbox(mode="require") as opened:
        assert opened.observe(job("good"), LIMITS).observations == (Returned((42,)),)
        assert opened._zygote is not None
        opened._zygote._control.shutdown(how)
        assert opened.observe(job("good"), LIMITS).observations == (Returned((42,)),)


# ------------------------------------------------------------------------------------ the clock on the wall


def test_limits_do_not_ask_for_the_time_of_day(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Setting the clock while code runs ends nothing early or late."""
    days: Iterator[float] = iter(range(0, 10**9, 86_400))

    def jumping() -> float:
        return next(days)

    monkeypatch.setattr(time, "time", jumping)
    assert sandbox.observe(job("slow", "good"), LIMITS).observations == (Returned((43,)), Returned((42,)))


@pytest.mark.parametrize(
    "module",
    [
        "grader/sandbox",
        "grader/grading/grade.py",
        "grader/classroom/batch.py",
        "grader/classroom/schedule.py",
        "grader/classroom/worker.py",
    ],
)
def test_nothing_is_timed_by_the_time_of_day(module: str) -> None:
    """Durations come from clocks that cannot be set."""
    root = Path(zygote.__file__).parents[2] / module
    texts: list[Path] = [root] if root.is_file() else sorted(root.rglob("*.py"))
    timing: Callable[[str], bool] = lambda text: "time.time(" in text  # noqa: E731
    assert [path.name for path in texts if timing(path.read_text("utf-8"))] == []

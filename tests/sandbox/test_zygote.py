"""The zygote on less capable machines, when it dies at bad moments, and when it ends: nothing is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import SandboxError, SandboxUnavailable
from grader.core.model import Call, Job, Limits, Observed, Part, Program, Raised, Returned, SourceFile
from grader.sandbox import Sandbox, ZygoteSettings, open_sandbox, policy, zygote
from grader.sandbox.canaries import try_attacks
from grader.sandbox.children import ChildEnded
from grader.sandbox.wire import encode_files, encode_tasks, tasks_of
from grader.sandbox.zygote import Zygote, ZygoteLost

GOOD = """
import time
def good(): return 42
def slow(): time.sleep(0.6); return 43
def endless():
    while True: pass
"""
FINE = (Returned((42,)),)
ROOT = Path(__file__).parents[2]


def descendants(pid: int) -> dict[int, int]:
    """Every living process below ``pid``, with its parent."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_bytes().rpartition(b")")[2].split()[:2]
            if state != b"Z":
                parents[int(stat.parent.name)] = int(parent)
    found: dict[int, int] = {}
    waiting = [pid]
    while waiting:
        above = waiting.pop()
        below = {child: above for child, parent in parents.items() if parent == above}
        found |= below
        waiting += below
    return found


def gone(pids: set[int], seconds: float = 60) -> bool:
    """Whether these processes end within ``seconds``."""

    def alive(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
        except OSError:
            return False

    until = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(alive, pids))


def descriptors() -> set[str]:
    """The open descriptors of this process."""
    return set(os.listdir("/proc/self/fd"))


@pytest.fixture
def own() -> Iterator[Sandbox]:
    """A sandbox that a test may break. Afterwards no process and no descriptor of it may be left."""
    before, open_before = set(descendants(os.getpid())), descriptors()
    with open_sandbox(mode="require") as opened:
        yield opened
        here = set(descendants(os.getpid())) - before
    assert gone(here)
    assert descriptors() == open_before


def innermost(sandbox: Sandbox) -> int:
    """The process id of the zygote itself; the process that was started may be waiting for it."""
    assert sandbox._zygote is not None
    started = sandbox._zygote._process.pid
    return next((child for child, parent in descendants(started).items() if parent == started), started)


# ------------------------------------------------------------------------------------- deaths and ends


@pytest.mark.prove
def test_a_zygote_that_dies_is_replaced(own: Sandbox, make_job: Callable[..., Job], quick: Limits) -> None:
    """Between or during submissions, outer or inner process: results are correct and the layers the same."""
    good, slow = make_job(GOOD, "good"), make_job(GOOD, "slow")
    assert own.observe(good, quick).observations == FINE
    layers = own.layers
    assert own._zygote is not None
    own._zygote._process.kill()
    assert own.observe(good, quick).observations == FINE
    timer = threading.Timer(0.3, os.kill, (innermost(own), signal.SIGKILL))
    timer.start()
    assert own.observe(slow, quick).observations == (Returned((43,)),)
    timer.join()
    assert own.layers == layers and not own.unsafe


def test_closing_does_not_wait_for_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that is closed before it is ready is killed, with all its processes."""
    monkeypatch.setattr(zygote, "_BOOT", "import time; time.sleep(3600)")
    before, open_before = set(descendants(os.getpid())), descriptors()
    with open_sandbox(mode="require") as opened:
        opened.start()
        here = set(descendants(os.getpid())) - before
    assert here and gone(here)
    assert descriptors() == open_before


def test_nothing_outlives_the_grader() -> None:
    """If the grader is killed during a submission, zygote and child end, too."""
    script = (
        "from grader.core.model import *; from grader.sandbox import open_sandbox\n"
        "file = SourceFile('a.py', 'a', (Part('a.py', 'def f():\\n while True: pass'),))\n"
        "with open_sandbox(mode='require') as sandbox:\n"
        "    sandbox.children(); print('ready', flush=True); input()\n"
        "    sandbox.observe(Job((file,), (Program('a', (Call('f'),), (0,)),)), Limits(group_cpu=60, group_wall=60))\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdin=pipe, stdout=pipe) as grader:
        assert grader.stdin is not None and grader.stdout is not None and grader.stdout.readline() == b"ready\n"
        idle = set(descendants(grader.pid))
        grader.stdin.write(b"\n")
        grader.stdin.flush()
        until = time.monotonic() + 60
        while not (here := set(descendants(grader.pid))) > idle and time.monotonic() < until:
            time.sleep(0.02)
        grader.kill()
    assert here > idle
    assert gone(here)


def test_the_kernel_limits_the_whole_child(sandbox: Sandbox, make_job: Callable[..., Job], quick: Limits) -> None:
    """Even if nobody watches its clock, the CPU limit ends the child and is reported."""
    sandbox.children()
    assert sandbox._zygote is not None
    job = make_job(GOOD, "endless")
    with contextlib.closing(sandbox._zygote.start(encode_files(job), 1, quick)) as child:
        for task in tasks_of(job):
            child.send(encode_tasks([task], quick))
        kinds = [child.receive(60, 1000), child.receive(60, 1000)]
        assert None not in kinds
        with pytest.raises(ChildEnded) as ended:
            child.receive(600, 1000)
        assert ended.value.cpu_limit and ended.value.signal == signal.SIGXCPU
        assert 0.5 < child.cpu_seconds() < 2  # the kernel counts by its own ticks


# ------------------------------------------------------------------------------------ lesser machines


def confinable(settings: ZygoteSettings) -> bool:
    """Without namespaces, root has to change user, which requires a Python that everybody can read."""
    return settings.namespaces or os.geteuid() != 0 or bool(zygote._unprivileged())


@pytest.mark.prove
@pytest.mark.parametrize(
    "settings",
    [ZygoteSettings(landlock_abi=1, collapse=True), ZygoteSettings(namespaces=False, landlock_abi=1)],
    ids=["old Landlock", "no namespaces"],
)
def test_lesser_machines_hold_as_well(settings: ZygoteSettings, make_job: Callable[..., Job], quick: Limits) -> None:
    """With the oldest Landlock, with and without namespaces, results are correct and every attack is refused."""
    with open_sandbox(mode="require", settings=settings) as opened:
        if not confinable(settings):
            with pytest.raises(SandboxUnavailable, match="would run as root"):
                opened.children()
            return
        seen = opened.observe(make_job(GOOD, "good"), quick)
        assert seen.observations == FINE
        assert seen.layers == opened.layers
        assert seen.layers[:3] == ("seccomp", "landlock-1", "rlimits")
        assert settings.namespaces or len(seen.layers) == 3
        assert [canary for canary in try_attacks(opened.observe) if canary.state != "refused"] == []


def test_without_landlock_nothing_runs() -> None:
    """Without Landlock it refuses and says what is needed."""
    with (
        open_sandbox(mode="require", settings=ZygoteSettings(landlock_abi=0)) as opened,
        pytest.raises(SandboxUnavailable, match="no Landlock"),
    ):
        opened.children()


def test_without_the_filter_nothing_runs(make_job: Callable[..., Job], quick: Limits) -> None:
    """``require`` refuses at once and says what to install; ``auto`` would run code unconfined, and reports it."""
    settings, said = ZygoteSettings(seccomp=False), "libseccomp was not found"
    with open_sandbox(mode="require", settings=settings) as opened, pytest.raises(SandboxUnavailable, match=said):
        opened.observe(make_job(GOOD, "good"), quick)
    with open_sandbox(mode="auto", settings=settings) as opened:
        opened.start()
        assert opened.unsafe and opened.layers == ()


def test_other_systems_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems than Linux it refuses and says so."""
    monkeypatch.setattr(sys, "platform", "darwin")
    with open_sandbox(mode="require") as opened, pytest.raises(SandboxUnavailable, match="on Linux; this is darwin"):
        opened.start()


def test_a_process_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what is missing, and no descriptor is lost."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise OSError("no more processes")

    before = descriptors()
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(SandboxUnavailable, match="could not be started: no more processes"):
        Zygote.launch(ZygoteSettings())
    assert descriptors() == before


@pytest.mark.parametrize("boot", ["raise SystemExit(7)", "import sys; sys.stdin.read(); raise SystemExit(7)"])
def test_a_zygote_that_ends_at_its_start(monkeypatch: pytest.MonkeyPatch, boot: str) -> None:
    """A zygote that ends early means that a layer is missing; the error says how to find out."""
    monkeypatch.setattr(zygote, "_BOOT", boot)
    with open_sandbox(mode="require") as opened, pytest.raises(SandboxUnavailable, match="ended") as caught:
        opened.children()
    assert "exit code 7" in str(caught.value) or "while it started" in str(caught.value)


Claimed = Callable[..., tuple[Zygote, socket.socket]]


#: What a zygote says that is as it should be.
_STATE = {"threads": 1, "counted": True, "shared": [], "landlock": 7, "namespaces": [], "uid": 1}


@pytest.fixture
def claimed() -> Iterator[Claimed]:
    """A zygote that reports a given state, and its end of the socket."""
    made = []

    def claiming(**state: Any) -> tuple[Zygote, socket.socket]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        theirs.send(json.dumps(_STATE | state).encode())
        made.append((Zygote(subprocess.Popen(["true"]), ours, ZygoteSettings()), theirs))
        return made[-1]

    yield claiming
    for claimant, theirs in made:
        claimant.close()
        theirs.close()


def test_a_zygote_that_dies_again_is_our_fault(
    claimed: Claimed, make_job: Callable[..., Job], quick: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replaced once. The second time an error is raised, which costs no points."""
    launched = []

    def launch(settings: ZygoteSettings) -> Zygote:
        dead, its_end = claimed()
        dead.wait_until_ready()
        its_end.shutdown(socket.SHUT_RDWR)
        launched.append(dead)
        return dead

    with open_sandbox(mode="auto") as opened:
        with monkeypatch.context() as patch:
            patch.setattr(Zygote, "launch", launch)
            with pytest.raises(SandboxError, match="the zygote ended"):
                opened.observe(make_job(GOOD, "good"), quick)
        assert len(launched) == 2
        monkeypatch.setattr(policy, "seccomp_program", lambda: b"")
        # What was confined once never runs without: ``auto`` falls back at its start or not at all.
        with pytest.raises(SandboxUnavailable, match="libseccomp"):
            opened.observe(make_job(GOOD, "good"), quick)


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        ({"threads": 2}, SandboxError, "has 2 threads"),
        ({"shared": ["7f00-7f01 rw-s /dev/zero"]}, SandboxError, "would share: 7f00-7f01 rw-s"),
        ({"landlock": 0}, SandboxUnavailable, "needs Linux 5.13 or later"),
        ({"uid": 0}, SandboxUnavailable, "would run as root"),
        ({"counted": False}, SandboxUnavailable, "cannot be limited"),
        ({"counted": False, "namespaces": ["userns"]}, SandboxUnavailable, "cannot be limited"),
    ],
)
def test_states_that_are_refused(
    claimed: Claimed, monkeypatch: pytest.MonkeyPatch, state: dict[str, Any], error: type, said: str
) -> None:
    """Several threads, shared memory, no Landlock, root, or unlimited threads: no child is requested."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(zygote, "_unprivileged", dict)
    with pytest.raises(error, match=said):
        claimed(**state)[0].wait_until_ready()


def test_states_that_are_fine(claimed: Claimed, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary user's zygote may have that user's id, and is asked for its state once."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    ready, _ = claimed(uid=0, namespaces=["userns"])
    ready.wait_until_ready()
    ready.wait_until_ready()
    claimed(counted=False, namespaces=["userns"])[0].wait_until_ready()  # RLIMIT_NPROC holds
    assert ready.layers == ("seccomp", "landlock-7", "rlimits", "userns")


def test_waiting_for_a_silent_zygote_has_an_end(claimed: Claimed, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it never becomes ready, an error of ours is raised after a while."""
    silent, _ = claimed()
    silent._control.recv(1000)
    monkeypatch.setattr(zygote, "_READY_SECONDS", 0.05)
    with pytest.raises(SandboxError, match="did not become ready"):
        silent.wait_until_ready()


def test_a_zygote_that_works_is_waited_for(claimed: Claimed, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it works, it may take any time to import torch; only sleep counts."""
    slow, its_end = claimed()
    ready = slow._control.recv(1000)
    looks: list[int] = []

    def working(pid: int) -> bool:
        looks.append(pid)
        if len(looks) == 5:
            its_end.send(ready)
        return False

    monkeypatch.setattr(zygote, "_READY_SECONDS", 0.01)
    monkeypatch.setattr(zygote, "stuck", working)
    slow.wait_until_ready()
    assert looks == [slow._process.pid] * 5


@pytest.mark.parametrize("answer", [b"", b"1234"])
def test_an_answer_without_a_child_is_a_lost_zygote(claimed: Claimed, quick: Limits, answer: bytes) -> None:
    """An end of stream, or a message without a pidfd: ZygoteLost is raised and the pipes are closed."""
    odd, its_end = claimed()
    before = descriptors()
    odd.wait_until_ready()
    if answer:
        its_end.send(answer)
    else:
        its_end.shutdown(socket.SHUT_WR)
    with pytest.raises(ZygoteLost, match="no answer"):
        odd.start(b"job", 1, quick)
    for fd in socket.recv_fds(its_end, 64, 2)[1]:
        os.close(fd)
    assert descriptors() == before


@pytest.mark.parametrize("answer", [b"", b"1234"])
def test_a_child_without_an_end_is_a_lost_zygote(claimed: Claimed, answer: bytes) -> None:
    """An EXIT message of the wrong size raises ZygoteLost."""
    odd, its_end = claimed()
    odd.wait_until_ready()
    if answer:
        its_end.send(answer)
    its_end.shutdown(socket.SHUT_WR)
    with pytest.raises(ZygoteLost):
        odd.exit_status()
    odd._control.close()
    with pytest.raises(ZygoteLost):
        odd.exit_status()


def test_a_zygote_that_does_not_end_is_killed() -> None:
    """Closing does not hang on a process that does not end."""

    class Stuck:
        done: list[str] = []  # noqa: RUF012

        def wait(self, timeout: float | None = None) -> int:
            """Times out."""
            self.done.append("wait")
            if timeout is not None:
                raise subprocess.TimeoutExpired("zygote", timeout)
            return -9

        def kill(self) -> None:
            """Does nothing."""
            self.done.append("kill")

    ours, theirs = socket.socketpair()
    theirs.close()
    stuck = Zygote(Stuck(), ours, ZygoteSettings())  # type: ignore[arg-type]
    stuck.state = {"uid": 1}
    stuck.close()
    assert Stuck.done == ["wait", "kill", "wait"]


# ----------------------------------------------------------------------------------- users and secrets


def test_root_becomes_nobody_where_python_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ordinary users keep their id; root becomes nobody if nobody can read Python."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert zygote._unprivileged() == {}
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(zygote, "_open_to_all", lambda path: True)
    assert zygote._unprivileged() == {"user": 65534, "group": 65534, "extra_groups": []}
    monkeypatch.setattr(zygote, "_open_to_all", lambda path: False)
    assert zygote._unprivileged() == {}


def test_the_zygote_is_never_root_outside_a_namespace(sandbox: Sandbox) -> None:
    """From outside it is nobody, or the user who grades, or root without rights outside its namespace."""
    sandbox.children()
    lines = Path(f"/proc/{innermost(sandbox)}/status").read_text().splitlines()
    fields = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    expected = zygote._unprivileged().get("user", os.geteuid())
    assert set(fields["Uid"]) == {str(expected)}
    assert expected != 0 or "userns" in sandbox.layers
    assert {fields[name][0] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}


def test_open_to_all_means_every_folder_above(tmp_path: Path) -> None:
    """Everybody must be able to enter each parent folder and to read the file."""
    base = tmp_path / "a"
    file = base / "b" / "file"
    file.parent.mkdir(parents=True)
    file.write_text("x")
    base.chmod(0o755)
    file.parent.chmod(0o755)
    reachable = all(folder.stat().st_mode & 1 for folder in (tmp_path, *tmp_path.parents))
    for path, mode, expected in ((file, 0o640, False), (file, 0o644, True), (base, 0o700, False), (base, 0o711, True)):
        path.chmod(mode)
        assert zygote._open_to_all(file) is (expected and reachable)
    assert zygote._open_to_all(base / "nothing") is False


def test_the_environment_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread for every library, and from the user's environment only the paths of shared libraries."""
    for name in ("ATTNCHECK_SEED", "PYTHONPATH", "SECRET", "LD_PRELOAD"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/libraries")
    made = zygote._environment()
    assert made["OMP_NUM_THREADS"] == "1" and made["LD_LIBRARY_PATH"] == "/opt/libraries"
    assert not {"ATTNCHECK_SEED", "PYTHONPATH", "SECRET", "LD_PRELOAD"} & set(made)


def test_no_clock_is_better_than_a_wrong_one() -> None:
    """A child's CPU clock is read; that of an ended process is not confused with another's."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    pidfd = os.pidfd_open(child.pid)
    clock = zygote._cpu_clock(zygote._pid(pidfd))
    assert clock is not None and time.clock_gettime(clock) >= 0
    child.communicate(b"\n")
    assert zygote._cpu_clock(zygote._pid(pidfd)) is None
    os.close(pidfd)


def test_without_a_clock_the_wall_remains(
    sandbox: Sandbox, make_job: Callable[..., Job], quick: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If CPU time cannot be read, wall time ends a loop, and the next program runs."""
    monkeypatch.setattr(zygote, "_cpu_clock", lambda pid: None)
    seen: Observed = sandbox.observe(make_job(GOOD, Call("endless"), "good"), replace(quick, group_wall=0.5))
    ended, good = seen.observations
    assert ended.clock == "wall" and good == FINE[0]  # type: ignore[union-attr]


def test_a_package_that_the_course_allows_can_be_imported() -> None:
    """In the sandbox, allowed packages can be imported, and no others."""
    text = "def allowed():\n    import sortedcontainers\n    return list(sortedcontainers.SortedList([2, 1]))\n"
    text += "def other():\n    import hypothesis\ndef grader():\n    import grader\n"
    job = Job(
        (SourceFile("unit.py", "unit", (Part("unit.py", text),)),),
        tuple(Program("unit", (Call(name),), (0,)) for name in ("allowed", "other", "grader")),
    )
    with open_sandbox(mode="require") as sandbox:
        sandbox.allow_packages(("sortedcontainers",))
        seen = sandbox.observe(job, Limits()).observations
    assert seen[0] == Returned(([1, 2],))
    assert [isinstance(each, Raised) and each.type for each in seen[1:]] == ["ModuleNotFoundError"] * 2


NICE = """
import os
from grader.core.model import Limits
from grader.sandbox import ZygoteSettings
from grader.sandbox.zygote import Zygote
os.nice(19)
zygote = Zygote.launch(ZygoteSettings())
child = zygote.start(b"", 5, Limits())
child.receive(60, 1 << 20)  # HELLO
print(flush=True)
input()
child.close()
zygote.close()
"""


@pytest.mark.prove
@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel has no autogroups")
def test_children_of_a_nice_process_yield_as_sessions() -> None:
    """A child has a session of its own, so its own priority would only count within that."""
    command = [sys.executable, "-c", NICE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        parents = descendants(process.pid)
        (child,) = set(parents) - set(parents.values())  # the only one below which there is nothing
        assert os.getpriority(os.PRIO_PROCESS, child) == 19
        assert Path(f"/proc/{child}/autogroup").read_text().split()[-1] == "19"
        process.stdin.write("\n")

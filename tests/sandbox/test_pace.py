"""Time that a process lets pass, beside time in which the machine keeps it waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.model import Call, Job, Limits, Program, Returned, TimedOut
from grader.sandbox import Sandbox
from grader.sandbox.launch import observe
from grader.sandbox.pace import DISK_SECONDS, Pace, stuck
from tests.sandbox.test_zygote import innermost


class Machine:
    """A ``/proc`` of our own, and a clock to go with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 100.0
        for name in ("thread-self", "7"):
            (folder / name).mkdir()
            self.waited(name, 0.0)

    def waited(self, name: str, seconds: float) -> None:
        """Puts down for how long a thread has waited for a processor."""
        (self.folder / name / "schedstat").write_text(f"123456789 {int(seconds * 1e9)} 42\n")

    def thread(self, process: str, number: str, state: str, children: str = "") -> None:
        """A thread of a process, and what it has started."""
        place = self.folder / process / "task" / number
        place.mkdir(parents=True, exist_ok=True)
        (place / "stat").write_bytes(b"%b (a ) R \xff\r (b) %b 1 7 7 0" % (number.encode(), state.encode()))
        (place / "children").write_text(children)

    def pace(self, pid: int | None = 7) -> Pace:
        """A clock for one of the processes."""
        return Pace(pid, lambda: self.now, self.folder)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with one process, 7."""
    return Machine(tmp_path)


def test_waiting_for_a_processor_is_not_counted(machine: Machine) -> None:
    """Neither the process's own waiting nor that of whoever watches it; sleeping and running are."""
    with closing(machine.pace()) as pace:
        began = pace.seconds()
        machine.now += 10
        assert pace.seconds() - began == pytest.approx(10)
        machine.waited("7", 4)
        machine.waited("thread-self", 1.5)
        assert pace.seconds() - began == pytest.approx(4.5)


def test_where_nothing_is_counted_all_time_is(machine: Machine, tmp_path: Path) -> None:
    """Another system, a process that has ended or that nobody may look at: an ordinary clock, which nothing stops."""
    for pace in (Pace(7, lambda: machine.now, tmp_path / "nowhere"), machine.pace(None), machine.pace(8)):
        with closing(pace):
            began = pace.seconds()
            machine.now += 3
            assert pace.seconds() - began == pytest.approx(3)
            assert pace.stuck()
    machine.waited("7", 2)
    with closing(machine.pace()) as pace:
        began = pace.seconds()
        (machine.folder / "7" / "schedstat").write_text("")  # as of a process that has ended
        assert pace.seconds() == began


@pytest.mark.parametrize(
    ("states", "expected"),
    [("S", True), ("R", False), ("D", False), ("SSR", False), ("SS", True), ("T", True), ("Z", True), ("", True)],
)
def test_only_who_could_not_go_on_is_stuck(machine: Machine, states: str, expected: bool) -> None:
    """All threads asleep or stopped; one that runs, or waits for a processor or a disk, is the machine's to serve."""
    for at, state in enumerate(states):
        machine.thread("7", str(7 + at), state)
    with closing(machine.pace()) as pace:
        assert pace.stuck() is expected


@pytest.mark.parametrize(
    ("state", "over", "expected"),
    [("D", DISK_SECONDS - 1, False), ("D", DISK_SECONDS, True), ("R", 1e6, False), ("S", 0.0, True)],
)
def test_no_wait_for_a_disk_is_without_end(machine: Machine, state: str, over: float, expected: bool) -> None:
    """Code can make a thread look as if it waited for a disk, which costs it no CPU time; only running does."""
    machine.thread("7", "7", state)
    with closing(machine.pace()) as pace:
        assert pace.stuck(over) is expected


@pytest.mark.parametrize(("state", "expected"), [("R", False), ("S", True)])
def test_what_a_process_has_started_counts(machine: Machine, state: str, expected: bool) -> None:
    """The first process of a zygote waits for the second one, which does the work."""
    machine.thread("7", "7", "S", "20 ")
    machine.thread("20", "20", state)
    assert stuck(7, machine.folder) is expected


def test_the_kernel_says_so_as_well() -> None:
    """A process that waits for its input is stuck; nothing is left open."""
    before = set(os.listdir("/proc/self/fd"))
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"x")
    process.stdin.flush()
    process.stdout.read(1)
    with closing(Pace(process.pid)) as pace:
        while not pace.stuck():  # on its way to the next read
            os.sched_yield()
        process.stdin.close()
        process.stdout.read()
        process.wait()
        process.stdout.close()
        began = pace.seconds()
        assert pace.stuck() and pace.seconds() >= began
    assert set(os.listdir("/proc/self/fd")) == before


SPIN = """
import threading, time
def spin(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
    return seconds
def thread(seconds):
    worker = threading.Thread(target=spin, args=(seconds,))
    worker.start()
    worker.join()
    return seconds
def nap(seconds): time.sleep(seconds)
"""


@pytest.fixture
def crowded(sandbox: Sandbox) -> Iterator[None]:
    """The sandbox on one processor, with four others there that never rest."""
    sandbox.children()
    zygote = innermost(sandbox)
    allowed = os.sched_getaffinity(zygote)
    one = {min(allowed)}
    code = f"import os; os.sched_setaffinity(0, {one}); print(flush=True)\nwhile os.getppid() == {os.getpid()}: pass"
    others = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) for _ in range(4)
    ]
    try:
        for other in others:
            assert other.stdout is not None and other.stdout.readline()
        os.sched_setaffinity(zygote, one)
        yield
    finally:
        os.sched_setaffinity(zygote, allowed)
        for other in others:
            other.kill()
            other.communicate()


@pytest.mark.prove
@pytest.mark.usefixtures("crowded")
def test_a_crowded_machine_costs_nobody_a_point(sandbox: Sandbox, make_job: Callable[..., Job], quick: Limits) -> None:
    """Who needs 0.2 s gets them, in whichever thread, though they take a second; who sleeps or loops is still ended."""
    limits = replace(quick, group_cpu=0.4, group_wall=0.4)
    asked = [("spin", 0.2), ("thread", 0.2), ("nap", 60.0), ("spin", 60.0), ("spin", 0.01)]
    programs = [Program("unit", (Call(name, (s,)),), (0,), group=str(at)) for at, (name, s) in enumerate(asked)]
    seen = observe(sandbox.children(), make_job(SPIN, *programs), limits).observations
    assert seen == (
        Returned((0.2,)),
        Returned((0.2,)),
        TimedOut(0.4, "wall"),
        TimedOut(0.4, "cpu"),
        Returned((0.01,)),
    )

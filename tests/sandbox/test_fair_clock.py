"""Time that a process uses counts; time in which the machine keeps it waiting does not."""

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
from grader.sandbox.children import DISK_SECONDS, FairClock, stuck
from grader.sandbox.launch import observe
from tests.sandbox.test_zygote import innermost


class Machine:
    """A simulated ``/proc`` with a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 100.0
        for name in ("thread-self", "7"):
            (folder / name).mkdir()
            self.waited(name, 0.0)

    def waited(self, name: str, seconds: float) -> None:
        """Records how long a thread has waited for a processor."""
        (self.folder / name / "schedstat").write_text(f"123456789 {int(seconds * 1e9)} 42\n")

    def thread(self, process: str, number: str, state: str, children: str = "") -> None:
        """Adds a thread to a process, with the processes that it started."""
        place = self.folder / process / "task" / number
        place.mkdir(parents=True, exist_ok=True)
        (place / "stat").write_bytes(b"%b (a ) R \xff\r (b) %b 1 7 7 0" % (number.encode(), state.encode()))
        (place / "children").write_text(children)

    def clock(self, pid: int | None = 7) -> FairClock:
        """A clock for one of the processes."""
        return FairClock(pid, lambda: self.now, self.folder)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with one process, 7."""
    return Machine(tmp_path)


def test_waiting_for_a_processor_is_not_counted(machine: Machine) -> None:
    """Waiting for a processor, by the process or its watcher, is not counted; sleeping and running are."""
    with closing(machine.clock()) as clock:
        began = clock.seconds()
        machine.now += 10
        assert clock.seconds() - began == pytest.approx(10)
        machine.waited("7", 4)
        machine.waited("thread-self", 1.5)
        assert clock.seconds() - began == pytest.approx(4.5)


def test_where_nothing_is_counted_all_time_is(machine: Machine, tmp_path: Path) -> None:
    """Without counters (other systems, ended or invisible processes) it is an ordinary clock."""
    for clock in (FairClock(7, lambda: machine.now, tmp_path / "nowhere"), machine.clock(None), machine.clock(8)):
        with closing(clock):
            began = clock.seconds()
            machine.now += 3
            assert clock.seconds() - began == pytest.approx(3)
            assert clock.stuck()
    machine.waited("7", 2)
    with closing(machine.clock()) as clock:
        began = clock.seconds()
        (machine.folder / "7" / "schedstat").write_text("")  # as of a process that has ended
        assert clock.seconds() == began


@pytest.mark.parametrize(
    ("states", "expected"),
    [("S", True), ("R", False), ("D", False), ("SSR", False), ("SS", True), ("T", True), ("Z", True), ("", True)],
)
def test_only_who_could_not_go_on_is_stuck(machine: Machine, states: str, expected: bool) -> None:
    """A process is stuck if all its threads sleep or are stopped, not if one runs or waits for a processor or disk."""
    for at, state in enumerate(states):
        machine.thread("7", str(7 + at), state)
    with closing(machine.clock()) as clock:
        assert clock.stuck() is expected


@pytest.mark.parametrize(
    ("state", "over", "expected"),
    [("D", DISK_SECONDS - 1, False), ("D", DISK_SECONDS, True), ("R", 1e6, False), ("S", 0.0, True)],
)
def test_no_wait_for_a_disk_is_without_end(machine: Machine, state: str, over: float, expected: bool) -> None:
    """Code can fake a wait for a disk, which uses no CPU time; after a while only running counts."""
    machine.thread("7", "7", state)
    with closing(machine.clock()) as clock:
        assert clock.stuck(over) is expected


@pytest.mark.parametrize(("state", "expected"), [("R", False), ("S", True)])
def test_what_a_process_has_started_counts(machine: Machine, state: str, expected: bool) -> None:
    """Child processes count, too: a zygote's first process waits for the second, which works."""
    machine.thread("7", "7", "S", "20 ")
    machine.thread("20", "20", state)
    assert stuck(7, machine.folder) is expected


def test_the_kernel_says_so_as_well() -> None:
    """With the real /proc, a process that waits for input is stuck; no file stays open."""
    before = set(os.listdir("/proc/self/fd"))
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"x")
    process.stdin.flush()
    process.stdout.read(1)
    with closing(FairClock(process.pid)) as clock:
        while not clock.stuck():  # on its way to the next read
            os.sched_yield()
        process.stdin.close()
        process.stdout.read()
        process.wait()
        process.stdout.close()
        began = clock.seconds()
        assert clock.stuck() and clock.seconds() >= began
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
    """A sandbox on one processor that it shares with four busy processes."""
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
    """Code that needs 0.2 s gets it, in any thread, even if that takes 1 s.

    Code that sleeps or loops is still ended.
    """
    limits = replace(quick, group_cpu=0.4, group_wall=0.4)
    asked = [("spin", 0.2), ("thread", 0.2), ("nap", 60.0), ("spin", 60.0), ("spin", 0.01)]
    programs = [Program("unit", (Call(name, (s,)),), (0,), group=str(at)) for at, (name, s) in enumerate(asked)]
    seen = observe(sandbox.children(), make_job(SPIN, *programs), limits).observations
    assert seen == (Returned((0.2,)), Returned((0.2,)), TimedOut(0.4, "wall"), TimedOut(0.4, "cpu"), Returned((0.01,)))

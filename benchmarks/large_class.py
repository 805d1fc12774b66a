"""Grade a large class with the real command: measure the cost, and kill and restart it at random.

    python -m benchmarks.large_class --learners 1000 --kills 10

grades a generated class (``tests/sample_class.py``) once undisturbed and once killed at random moments, and then
compares both gradebooks. ``tests/proof/test_large_class.py`` asserts what this prints.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from grader.course import loader
from grader.grading import courses
from tests import sample_class

ROOT = Path(__file__).parent.parent
_PAGE = os.sysconf("SC_PAGE_SIZE")
#: Roles by the distance from the command: its workers, and their zygotes (behind a process that only waits).
ROLES = {0: "command", 1: "workers", 3: "zygotes"}
_GONE_SECONDS = 60.0

Pid = int


@dataclass(frozen=True, slots=True)
class Process:
    """One process; ``began`` distinguishes it from a later one with the same pid."""

    pid: Pid
    parent: Pid
    session: int
    began: int
    resident: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory at one moment: resident bytes of the largest process of each role, and of all together."""

    seconds: float
    largest: dict[str, int]
    together: int


@dataclass(slots=True)
class Ran:
    """The outcome of one run of the command."""

    code: int | None
    seconds: float
    samples: list[Sample] = field(default_factory=list)

    def quarter(self, number: int, role: str) -> float:
        """The median of a role's memory in a quarter of the run, in bytes."""
        last = self.samples[-1].seconds if self.samples else 0.0
        inside = [
            sample.largest[role]
            for sample in self.samples
            if (number - 1) / 4 <= sample.seconds / max(last, 1e-9) <= number / 4 and role in sample.largest
        ]
        return statistics.median(inside) if inside else 0.0

    def most(self) -> int:
        """The peak of all processes together, in bytes (shared memory counted once)."""
        return max((sample.together for sample in self.samples), default=0)


@dataclass(frozen=True, slots=True)
class Order:
    """What is graded, the output folder, and the environment."""

    collection: Path
    out: Path
    seed: Path | None
    scratch: Path
    cache: Path
    workers: int = 2
    questions: tuple[str, ...] = ()
    course: Path | None = None

    def command(self) -> list[str]:
        """The command line."""
        chosen = [word for name in self.questions for word in ("-q", name)]
        own = ["--course", str(self.course)] if self.course else []
        secret = ["--seed-file", str(self.seed)] if self.seed else []
        words = ["batch", str(self.collection), "--out", str(self.out), "--workers", str(self.workers), "--json"]
        return [sys.executable, str(ROOT / "cli.py"), *words, *chosen, *own, *secret]

    def export(self, to: Path) -> bytes:
        """The gradebook as JSON."""
        command = [sys.executable, str(ROOT / "cli.py"), "export", "json", "--from", str(self.out), "--to", str(to)]
        subprocess.run(command, cwd=ROOT, env=self.environment(), check=True, stdout=subprocess.DEVNULL)
        return to.read_bytes()

    def environment(self) -> dict[str, str]:
        """One thread per process, and no settings of the user."""
        places = {"ATTNCHECK_CACHE": self.cache, "TMPDIR": self.scratch / "tmp"}
        for place in places.values():
            place.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ATTNCHECK_")}
        own = {name: str(place) for name, place in places.items()}
        return kept | own | {"OMP_NUM_THREADS": "1", "ATTNCHECK_STATE": os.devnull}


# ----------------------------------------------------------------------------------------- processes


def processes() -> dict[Pid, Process]:
    """All visible processes, without zombies."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            fields = Path("/proc", name, "stat").read_text(errors="replace").rpartition(")")[2].split()
            if fields[0] not in "ZX":
                pid = int(name)
                found[pid] = Process(
                    pid, int(fields[1]), int(fields[3]), int(fields[19]), max(0, int(fields[21])) * _PAGE
                )
    return found


def below(top: Pid, seen: dict[Pid, Process]) -> dict[Pid, int]:
    """``top`` and its descendants, with their distance from it."""
    children: dict[Pid, list[Pid]] = {}
    for process in seen.values():
        children.setdefault(process.parent, []).append(process.pid)
    found, waiting = {top: 0}, [top]
    while waiting:
        parent = waiting.pop()
        for child in children.get(parent, ()):
            found[child] = found[parent] + 1
            waiting.append(child)
    return found


def alive(known: set[tuple[Pid, int]], session: int) -> list[Process]:
    """The known processes that still exist, and everything else in the session."""
    seen = processes().values()
    return [one for one in seen if (one.pid, one.began) in known or one.session == session]


def proportional(pid: Pid) -> int:
    """A process's bytes, including its part of shared memory."""
    with contextlib.suppress(OSError):
        for line in Path("/proc", str(pid), "smaps_rollup").read_text(errors="replace").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


class Running:
    """The running command, and a record of its processes."""

    def __init__(self, order: Order, log: Path) -> None:
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                order.command(), cwd=ROOT, env=order.environment(), stdout=file, stderr=file, start_new_session=True
            )
        self._known: set[tuple[Pid, int]] = set()
        self._started = time.monotonic()
        self._sampled = 0.0
        self.samples: list[Sample] = []

    def look(self, every: float = 2.0) -> dict[int, list[Pid]]:
        """The processes by their distance from the command; records their memory from time to time."""
        seen = processes()
        depths = below(self._process.pid, seen)
        at: dict[int, list[Pid]] = {}
        for pid, depth in depths.items():
            if pid in seen:
                self._known.add((pid, seen[pid].began))
                at.setdefault(depth, []).append(pid)
        now = self.seconds()
        if now >= self._sampled + every:
            self._sampled = now
            largest = {
                role: max(seen[pid].resident for pid in at[depth]) for depth, role in ROLES.items() if depth in at
            }
            self.samples.append(Sample(now, largest, sum(map(proportional, depths))))
        return at

    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self._started

    def over(self) -> bool:
        """Whether the command has ended."""
        return self._process.poll() is not None

    def wait(self, until: Callable[[], bool] = lambda: False, pause: float = 0.25) -> bool:
        """Wait until the command ends or ``until`` holds; True for the latter."""
        while not self.over():
            self.look()
            if until():
                return True
            time.sleep(pause)
        return False

    def kill(self, what: str) -> None:
        """Kill ``everything``, the ``command`` alone, a ``worker`` or a ``zygote``."""
        at = self.look()
        chosen = {"command": at.get(0, []), "worker": at.get(1, [])[-1:], "zygote": at.get(3, [])[-1:]}
        for pid in chosen.get(what, [pid for depth in sorted(at) for pid in at[depth]]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ended(self) -> Ran:
        """Clean up after the end. Raises AssertionError if processes outlive the command."""
        code = self._process.wait()
        seconds = self.seconds()
        deadline = time.monotonic() + _GONE_SECONDS
        while left := alive(self._known, self._process.pid):
            assert time.monotonic() < deadline, f"still there after {_GONE_SECONDS:g} s: {left}"
            time.sleep(0.05)
        return Ran(code, seconds, self.samples)


# ---------------------------------------------------------------------------------------------- runs


def undisturbed(order: Order) -> Ran:
    """One undisturbed run."""
    running = Running(order, order.scratch / "undisturbed.log")
    running.wait()
    return running.ended()


#: What is ended, in turn. After a worker or a zygote, which the command must bear, everything ends a little later.
_TURNS = ("everything", "command", "worker", "zygote")


def disturbed(order: Order, learners: int, kills: int, seed: int = 0) -> tuple[Ran, list[str]]:
    """Runs that are killed at random moments and restarted; the last one finishes."""
    chance, told = random.Random(seed), []
    for number, target in enumerate(sorted(chance.randrange(learners) for _ in range(kills))):
        what, patience = _TURNS[number % len(_TURNS)], chance.uniform(0.2, 4.0)
        running = Running(order, order.scratch / f"killed-{number}.log")
        if running.wait(lambda target=target: graded(order.out) >= target):  # type: ignore[misc]
            _pause(running, patience)
            running.kill(what)
            if what in ("worker", "zygote"):
                _pause(running, patience)
                running.kill("everything")
        killed = running.ended()
        told.append(f"{what} after {killed.seconds:.1f} s, {graded(order.out)} of {learners} graded")
    running = Running(order, order.scratch / "last.log")
    running.wait()
    return running.ended(), told


def _pause(running: Running, seconds: float) -> None:
    until = time.monotonic() + seconds
    running.wait(lambda: time.monotonic() >= until, 0.05)


def graded(out: Path) -> int:
    """The number of saved submissions in a gradebook that another process is writing."""
    place = out / "gradebook.sqlite"
    with contextlib.suppress(sqlite3.Error):
        if place.exists():
            with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as book:
                return int(book.execute("SELECT count(*) FROM run").fetchone()[0])
    return 0


def files(out: Path) -> set[str]:
    """The files that a run left in its folder, except its lock."""
    return {str(path.relative_to(out)) for path in out.rglob("*") if path.name != ".lock"}


@contextlib.contextmanager
def invented(numbers: Sequence[int], **more: object) -> Iterator[Callable[[str], Order]]:
    """A generated class, and a function that makes a job for an output folder by name, with its own environment."""
    with tempfile.TemporaryDirectory(prefix="attncheck-class-") as place:
        folder, seed = Path(place), Path(place, "seed")
        seed.write_bytes(b"the same seed each time")
        sample_class.fill(folder / "class", numbers, courses.load(loader.find(None)))

        def order(name: str, **changes: object) -> Order:
            scratch = folder / name
            scratch.mkdir()
            fixed = {"collection": folder / "class", "out": scratch / "out", "scratch": scratch}
            return Order(**(fixed | {"seed": seed, "cache": scratch / "cache"} | more | changes))  # type: ignore[arg-type]

        yield order


# ------------------------------------------------------------------------------------------- figures


def megabytes(count: float) -> str:
    """Bytes for people."""
    return f"{count / (1 << 20):.0f} MB"


def main() -> None:
    """Both runs, with their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-q", "--question", action="append", default=[])
    asked = parser.parse_args()
    with invented(range(asked.learners), workers=asked.workers, questions=tuple(asked.question)) as order:
        one = order("undisturbed")
        calm = undisturbed(one)
        summary = json.loads((one.scratch / "undisturbed.log").read_bytes())
        refused = sum(row["error"] is not None for row in summary["learners"])
        print(f"{asked.learners} learners, {asked.workers} workers: {calm.seconds:.0f} s,", end=" ")
        print(f"{asked.learners / calm.seconds:.2f} per second; {refused} could not be graded (exit code {calm.code})")
        print(f"most memory of all processes together: {megabytes(calm.most())}")
        for role in ROLES.values():
            second, last = (megabytes(calm.quarter(number, role)) for number in (2, 4))
            print(f"  largest of the {role:<9} second quarter {second:>7}, last quarter {last:>7}")
        sys.stdout.flush()
        if asked.kills:
            other = order("disturbed")
            ended, told = disturbed(other, asked.learners, asked.kills)
            print(f"\nkilled {len(told)} times:", *told, f"then {ended.seconds:.0f} s to the end", sep="\n  ")
            same = one.export(one.scratch / "book.json") == other.export(other.scratch / "book.json")
            print("the gradebooks are " + ("the same, byte for byte" if same else "DIFFERENT"))
            for which, more in (
                ("only", files(other.out) - files(one.out)),
                ("not", files(one.out) - files(other.out)),
            ):
                if more:
                    print(f"files that are {which} in the folder of the disturbed run: {sorted(more)}")


if __name__ == "__main__":
    main()

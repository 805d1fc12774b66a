"""Grade a class in which everybody submits one exercise with the real command: the cost of one more submission.

    python -m benchmarks.one_exercise --learners 400 --workers 1 2 4

Learners submit ``scaled_dot_product_attention`` in one of five kinds of files, four of them incorrect, and no two files
are equal. The marginal cost is the difference between a large class and a small one, divided by the difference in
size, so that starting up does not count. pytest and unittest run eight cases on the same files for comparison, each
in a process of its own, as graders start them. Then the same command runs again with nothing to do, and with one new
submission; and the commands that read the gradebook are timed.

    python -m benchmarks.one_exercise --copies 10000 --workers 4

simulates a large class instead: learners submit copies of 100 different files, so that grading takes little and what
everything else costs is seen. It prints how fast and how large the command is from tenth to tenth of the class, and
the same tables for afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.samples import sample

ROOT = Path(__file__).parent.parent
NAME = "scaled_dot_product_attention"
RIGHT = "right/torch_plain"
#: One correct file, and four that are incorrect in different ways.
KINDS = (
    RIGHT,
    "wrong/no_scale",
    "wrong/mask_ignored",
    "wrong/softmax_over_queries",
    "wrong/nan_rows",
)
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of the command: wall seconds, CPU seconds of the command's own process, its largest resident set in MB.

    ``history`` is the resident set in MB by seconds since the start.
    """

    seconds: float
    parent: float
    megabytes: float
    history: tuple[tuple[float, float], ...] = ()


def fill(folder: Path, numbers: Sequence[int], kinds: Sequence[str] = KINDS, different: int = 0) -> None:
    """Writes one folder per learner. A constant makes every file different, also after comments are dropped.

    If ``different`` is given, there are only so many different files.
    """
    texts = [sample(f"{NAME}/{kind}").text for kind in kinds]
    for number in numbers:
        place = folder / f"learner-{number:06d}"
        place.mkdir(parents=True)
        text = texts[number % len(kinds)]
        (place / "q05.py").write_text(f"{text}\n\nNUMBER = {number % different if different else number}\n")


def environment(scratch: Path) -> dict[str, str]:
    """One thread per process, a cache of its own, and nothing of the user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ATTNCHECK_")}
    own = {"ATTNCHECK_CACHE": str(scratch / "cache"), "ATTNCHECK_STATE": os.devnull, "OMP_NUM_THREADS": "1"}
    return kept | own


def attncheck(scratch: Path, *words: str) -> Ran:
    """Runs one command. Raises AssertionError unless it ends as a batch or an export does (0 or 5)."""
    log = scratch / "log"
    with log.open("wb") as file:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "cli.py"), *words],
            stdout=file,
            stderr=file,
            env=environment(scratch),
        )
        watched = _Watched(process.pid)
        code = process.wait()
        seconds = time.perf_counter() - start
    watched.stop()
    assert code in (0, 5), log.read_text()
    return Ran(seconds, watched.cpu, watched.megabytes, tuple(watched.history))


class _Watched:
    """CPU time and memory of one process alone, read every 50 ms while it runs."""

    def __init__(self, pid: int) -> None:
        self.cpu, self.megabytes, self._over = 0.0, 0.0, threading.Event()
        self.history: list[tuple[float, float]] = []
        self._started = time.perf_counter()
        self._thread = threading.Thread(target=self._look, args=(pid,), daemon=True)
        self._thread.start()

    def _look(self, pid: int) -> None:
        while not self._over.wait(0.05):
            with contextlib.suppress(OSError, IndexError, ValueError):
                fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
                self.cpu = (int(fields[11]) + int(fields[12])) / _TICK
                now = int(fields[21]) * _PAGE / 2**20
                self.megabytes = max(self.megabytes, now)
                self.history.append((time.perf_counter() - self._started, now))

    def stop(self) -> None:
        """Ends the watching."""
        self._over.set()
        self._thread.join()


def batch(scratch: Path, collection: Path, out: Path, workers: int) -> Ran:
    """Grades ``collection`` into ``out``; the whole course counts, as in a class that does not name questions."""
    asked = ["--out", str(out), "--workers", str(workers)]
    return attncheck(scratch, "batch", str(collection), *asked, "--json")


# ------------------------------------------------------------------------------------------------- peers


CASES = """
import numpy as np, {framework}, torch
from submission import scaled_dot_product_attention

def expected(seed):
    g = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(2, 5, 8, generator=g), torch.randn(2, 7, 8, generator=g), torch.randn(2, 7, 6, generator=g)
    return (q, k, v), torch.softmax(q @ k.transpose(-2, -1) / 8 ** 0.5, dim=-1) @ v

"""
PYTEST = """
@pytest.mark.parametrize("seed", range(8))
def test_values(seed):
    given, wanted = expected(seed)
    torch.testing.assert_close(scaled_dot_product_attention(*given), wanted)
"""
UNITTEST = """
class Values(unittest.TestCase):
    pass

for seed in range(8):
    def test(self, seed=seed):
        given, wanted = expected(seed)
        torch.testing.assert_close(scaled_dot_product_attention(*given), wanted)
    setattr(Values, f"test_{seed}", test)
"""


def peers(scratch: Path) -> dict[str, float]:
    """Median seconds of one pytest or unittest process per submission, and of ``import torch`` alone."""
    commands = {
        "pytest": (PYTEST, ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_submission.py"]),
        "unittest": (UNITTEST, ["-m", "unittest", "-q", "test_submission"]),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ("import torch", *commands)}
    for number, kind in enumerate(KINDS):
        seconds["import torch"].append(_timed([sys.executable, "-c", "import torch"], scratch))
        for name, (test, words) in commands.items():
            place = scratch / f"{name}-{number}"
            place.mkdir()
            (place / "submission.py").write_text(sample(f"{NAME}/{kind}").text)
            (place / "test_submission.py").write_text(CASES.format(framework=name) + test)
            seconds[name].append(_timed([sys.executable, *words], place))
    return {name: statistics.median(found) for name, found in seconds.items()}


def _timed(command: list[str], place: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=place, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


# ------------------------------------------------------------------------------------------------ tables


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for everything that is measured."""
    with tempfile.TemporaryDirectory(prefix="attncheck-one-") as place:
        yield Path(place)


def marginal(scratch: Path, learners: int, workers: int, kinds: Sequence[str]) -> tuple[float, float, Path]:
    """Seconds, and CPU seconds of the parent, that one more submission costs; and the large class's results."""
    small = max(len(KINDS), learners // 10)
    results = []
    for count in (small, learners):
        name = f"{count}-{workers}-{len(kinds)}"
        collection, out = scratch / f"class-{name}", scratch / f"out-{name}"
        fill(collection, range(count), kinds)
        results.append((batch(scratch, collection, out, workers), out))
    (few, _), (many, out) = results
    more = learners - small
    return (many.seconds - few.seconds) / more, (many.parent - few.parent) / more, out


def size(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Prints every table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=400)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--copies", type=int, metavar="N", help="simulate a class of N learners instead")
    asked = parser.parse_args()
    if asked.copies:
        copies(asked.copies, asked.workers[-1])
        return
    with scratch_folder() as scratch:
        others = {} if asked.no_peers else peers(scratch)
        batch(scratch, _warm(scratch), scratch / "warm-out", 1)
        print(f"{asked.learners} learners, one exercise each; milliseconds for one more submission\n")
        print(f"{'workers':<10}{'files':<10}{'ms':>8}{'parent ms':>11}{'rate of one':>13}", end="")
        print("".join(f"{'of ' + name:>16}" for name in others))
        one: dict[str, float] = {}
        for workers in asked.workers:
            for files, kinds in (("all", KINDS), ("correct", (RIGHT,))):
                each, parent, out = marginal(scratch, asked.learners, workers, kinds)
                one.setdefault(files, each)
                print(f"{workers:<10}{files:<10}{each * 1e3:>8.1f}{parent * 1e3:>11.2f}", end="")
                print(f"{one[files] / each:>13.2f}", end="")
                print("".join(f"{each / seconds:>16.4f}" for seconds in others.values()), flush=True)
                if files == "all":
                    collection, results = scratch / out.name.replace("out", "class"), out
        print()
        _afterwards(scratch, collection, results, asked.learners, asked.workers[-1])


#: How many different files the copies are of: as many of each kind.
_DIFFERENT = 100
#: When each submission was saved, in seconds since some moment.
_SAVED = "SELECT julianday(at) * 86400 FROM run"


def copies(learners: int, workers: int) -> None:
    """Prints what a class of ``learners`` costs who submit copies of a few files."""
    with scratch_folder() as scratch:
        batch(scratch, _warm(scratch), scratch / "warm-out", 1)
        collection, out = scratch / "class", scratch / "out"
        fill(collection, range(learners), different=_DIFFERENT)
        ran = batch(scratch, collection, out, workers)
        # The gradebook knows when each result was saved, to the second.
        with contextlib.closing(sqlite3.connect(f"file:{out / 'gradebook.sqlite'}?mode=ro", uri=True)) as book:
            saved = sorted(moment for (moment,) in book.execute(_SAVED))
        print(f"{learners} learners, copies of {_DIFFERENT} files, {workers} workers: {ran.seconds:.1f} s,", end=" ")
        print(f"{ran.parent / learners * 1e3:.2f} ms of the command's own CPU for each, {ran.megabytes:.0f} MB")
        for name, part in (("first", saved[: learners // 10]), ("last", saved[-(learners // 10) :])):
            span = part[-1] - part[0]
            print(f"{name} tenth: " + (f"{len(part) / span:.0f} per second" if span else "in less than a second"))
        tenths = [ran.history[len(ran.history) * part // 10][1] for part in range(10)]
        print("MB from tenth to tenth of the time: " + " ".join(f"{each:.0f}" for each in tenths))
        _afterwards(scratch, collection, out, learners, workers)


def _warm(scratch: Path) -> Path:
    """A class of one of each kind: what is remembered from one batch to the next is remembered after it."""
    fill(scratch / "warm", range(len(KINDS)))
    return scratch / "warm"


def _afterwards(scratch: Path, collection: Path, out: Path, learners: int, workers: int) -> None:
    rows = {"batch again, nothing to do": batch(scratch, collection, out, workers)}
    fill(collection, [learners])
    rows["batch again, one new submission"] = batch(scratch, collection, out, workers)
    source = size(collection)
    print(f"results: {size(out) / learners:.0f} bytes per submission, beside {source / learners:.0f} of source")
    rows["stats"] = attncheck(scratch, "stats", str(out), "--json")
    rows["similar"] = attncheck(scratch, "similar", str(out), "--json")
    for kind in ("csv", "json", "html"):
        rows[f"export {kind}"] = attncheck(
            scratch, "export", kind, "--from", str(out), "--to", str(scratch / f"exported-{kind}")
        )
    print(f"\n{'':<34}{'seconds':>9}{'ms each':>9}{'MB':>7}")
    for name, ran in rows.items():
        print(f"{name:<34}{ran.seconds:>9.2f}{ran.seconds / learners * 1e3:>9.2f}{ran.megabytes:>7.0f}")


if __name__ == "__main__":
    main()

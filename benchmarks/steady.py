"""Grade one class repeatedly on a busy machine: every run must end the same way and give the same points.

    python -m benchmarks.steady --rounds 30 --workers 1 2 4 8

runs ``attncheck batch examples/class`` 30 times with each number of workers, each time into a new folder and with an
empty cache. Meanwhile one process per processor (``--hogs``) keeps the machine busy. It prints a table, and ends with 1
if an exit code is not the expected one (5: the class has a submission that cannot be graded) or if two exports of the
gradebook differ. ``--processors 0 1`` limits everything to those processors.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from grader.core import resources

ROOT = Path(__file__).parent.parent
EXPECTED = 5
#: Ends when the process that started it ends.
_HOG = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"


@dataclass(frozen=True, slots=True)
class Run:
    """One batch: its exit code, its output if that code was not the expected one, and the digest of its export."""

    code: int
    said: str
    digest: str
    seconds: float


@contextmanager
def hogs(count: int) -> Iterator[None]:
    """Run busy processes, each in its own session, because the kernel shares processors among sessions."""
    command = [sys.executable, "-S", "-c", _HOG, str(os.getpid())]
    running = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def graded(collection: Path, workers: int) -> Run:
    """Grade the class once, from scratch."""
    with tempfile.TemporaryDirectory(prefix="attncheck-steady-") as place:
        out, exported = Path(place, "out"), Path(place, "all.json")
        environment = os.environ | {
            "ATTNCHECK_CACHE": str(Path(place, "cache")),
            "ATTNCHECK_STATE": os.devnull,
            "OMP_NUM_THREADS": "1",
        }
        started = time.monotonic()
        batch = _attncheck("batch", str(collection), "--out", str(out), "--workers", str(workers), env=environment)
        seconds = time.monotonic() - started
        digest = ""
        if batch.returncode == EXPECTED:
            _attncheck("export", "json", "--from", str(out), "--to", str(exported), env=environment).check_returncode()
            digest = hashlib.sha256(exported.read_bytes()).hexdigest()[:12]
        said = "" if batch.returncode == EXPECTED else batch.stderr.strip()
        return Run(batch.returncode, said, digest, seconds)


def _attncheck(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "cli.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def differences(runs: Sequence[Run]) -> list[str]:
    """A description of each difference between these runs."""
    wrong = [f"exit code {run.code}, expected {EXPECTED}: {run.said}" for run in runs if run.code != EXPECTED]
    exports = Counter(run.digest for run in runs if run.digest)
    if len(exports) > 1:
        wrong.append(f"{len(exports)} different exports: {dict(exports)}")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 if all runs agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=30, help="runs with each number of workers")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--hogs", type=int, help="processes that keep processors busy (default: one for each)")
    parser.add_argument("--processors", type=int, nargs="+", help="use only these processors")
    parser.add_argument("--collection", type=Path, default=ROOT / "examples" / "class")
    asked = parser.parse_args(arguments)
    if asked.processors:
        os.sched_setaffinity(0, asked.processors)
    count = resources.processors() if asked.hogs is None else asked.hogs
    print(f"{resources.processors()} processors, {count} hogs\n")
    print(f"{'workers':>7}  {'rounds':>6}  {'exit codes':<14}  {'exports':>7}  {'seconds: least, median, most':<28}")
    runs: list[Run] = []
    with hogs(count):
        for workers in asked.workers:
            these = [graded(asked.collection, workers) for _ in range(asked.rounds)]
            codes = ", ".join(f"{code}: {times}" for code, times in sorted(Counter(r.code for r in these).items()))
            took = [run.seconds for run in these]
            seconds = f"{min(took):.1f}, {median(took):.1f}, {max(took):.1f}"
            exports = len({run.digest for run in these if run.digest})
            print(f"{workers:>7}  {len(these):>6}  {codes:<14}  {exports:>7}  {seconds:<28}", flush=True)
            runs += these
    wrong = differences(runs)
    print("\n" + ("\n".join(wrong) or "every run ended alike, with the same points for everybody"))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

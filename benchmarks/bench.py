"""What grading costs, as ratios measured side by side in one run: ``make bench``.

Timings are never asserted; they depend on the machine. Every row alternates between its two sides, so that
a machine that is busy for a while is busy for both.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader import course
from grader.grade import Memo, Selection, grade
from grader.inputs import Seed
from grader.model import Case, Course, Exercise, Job, Limits, Observed, Returned
from grader.sandbox import Settings, open_sandbox
from grader.sandbox.inside import frames
from grader.sandbox.launch import decode_value, encode_files, encode_tasks, tasks_of
from grader.sandbox.remember import remembering
from grader.submission import read

ROOT = Path(__file__).parent.parent
NAME = "scaled_dot_product_attention"
RIGHT = ROOT / "tests/solutions" / NAME / "right/torch_plain.py"
CASES = 8


def main() -> None:
    """Prints every table."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, one thread per process\n")
    commands()
    submissions()


# ------------------------------------------------------------------------------------------ commands


def commands() -> None:
    """Whole commands against an import of torch."""
    torch = [sys.executable, "-c", "import torch"]
    cli = [sys.executable, str(ROOT / "cli.py")]
    with tempfile.TemporaryDirectory() as warm:
        rows = {
            "attncheck --help": ([*cli, "--help"], warm),
            "attncheck questions": ([*cli, "questions"], warm),
            "attncheck show Q5": ([*cli, "show", "Q5"], warm),
            "attncheck grade, one exercise, cold cache": ([*cli, "grade", str(RIGHT), "-e", NAME], None),
            "attncheck grade, one exercise, warm cache": ([*cli, "grade", str(RIGHT), "-e", NAME], warm),
        }
        for command, cache in rows.values():
            run(command, cache or warm)
        print(f"{'command':<44}{'seconds':>9}{'import torch':>14}{'ratio':>8}")
        for name, (command, cache) in rows.items():
            pairs = [(_run_with(command, cache), run(torch, warm)) for _ in range(5)]
            ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
            print(f"{name:<44}{ours:>9.3f}{theirs:>14.3f}{ours / theirs:>8.2f}")
    print()


def _run_with(command: list[str], cache: str | None) -> float:
    if cache is not None:
        return run(command, cache)
    with tempfile.TemporaryDirectory() as cold:
        return run(command, cold)


def run(command: list[str], cache: str) -> float:
    """Seconds that a command takes."""
    environment = os.environ | {"ATTNCHECK_CACHE": cache}
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False)
    return time.perf_counter() - start


# --------------------------------------------------------------------------------------- submissions


def submissions() -> None:
    """One submission of one exercise with eight cases: confined, unconfined in one process, with pytest."""
    loaded = eight_cases(course.load(course.find(None)))
    selection = Selection(exercises=(NAME,))
    with open_sandbox(mode="require", settings=Settings(collapse=True)) as sandbox, in_process() as bare:
        memory: dict[str, bytes] = {}
        memo = Memo(loaded, Seed.public(), remembering(sandbox.observe, memory.get, memory.__setitem__))

        def confined() -> None:
            report = grade(loaded, read(RIGHT), sandbox.observe, selection=selection, memo=memo)
            assert report.passed

        def unconfined() -> None:
            report = grade(loaded, read(RIGHT), bare, selection=selection, memo=memo)
            assert report.passed

        pairs = list(alternating(confined, unconfined, 60))
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    with pytest_folder() as (command, folder):
        pytest = statistics.median(run(command, folder) for _ in range(3))
    print(f"{f'one submission, {CASES} cases, one worker':<44}{'ms':>9}{'ratio':>14}")
    print(f"{'the same calls in one process, no isolation':<44}{theirs * 1e3:>9.2f}{1:>14.1f}")
    print(f"{'confined (all layers)':<44}{ours * 1e3:>9.2f}{ours / theirs:>14.1f}")
    print(f"{'pytest started for it, no isolation':<44}{pytest * 1e3:>9.0f}{pytest / theirs:>14.0f}")
    print(f"\nconfined grading is {pytest / ours:.0f} times as fast as starting pytest")


def eight_cases(loaded: Course) -> Course:
    """The course with nothing but eight value cases of one exercise."""
    found = loaded.exercise(NAME)
    assert found is not None
    question, exercise = found
    cases: tuple[Case, ...] = tuple(c for c in exercise.cases if not c.only and c.raises is None)[:CASES]
    values = tuple(spec for spec in exercise.checks if spec.kind == "values")
    small: Exercise = replace(exercise, cases=cases, checks=values)
    return replace(loaded, questions=(replace(question, exercises=(small,)),))


@contextmanager
def in_process() -> Iterator[Callable[[Job, Limits], Observed]]:
    """An ``observe`` that runs everything in this very process."""
    from grader.sandbox.inside import serve

    serve.warm_up()
    modules, finders = set(sys.modules), list(sys.meta_path)

    def observe(job: Job, limits: Limits) -> Observed:
        reading, writing = os.pipe2(os.O_CLOEXEC)
        try:
            session = serve.Session(_value(encode_files(job)), writing)
            session.answer(_value(encode_tasks(tasks_of(job), limits)))
        finally:
            os.close(writing)
            sys.meta_path[:] = finders
            for name in set(sys.modules) - modules:
                del sys.modules[name]
        with os.fdopen(reading, "rb") as stream:
            data = stream.read()
        return Observed(tuple(_returned(data)), (), unsafe=True)

    yield observe


def _value(frame: bytes) -> Any:
    return frames.decode(frame[frames.HEADER.size :])


def _returned(data: bytes) -> Iterator[Returned]:
    at = 0
    while at < len(data):
        kind, length = frames.HEADER.unpack_from(data, at)
        body = frames.decode(data[at + frames.HEADER.size : at + frames.HEADER.size + length])
        at += frames.HEADER.size + length
        if kind == frames.RETURNED:
            yield Returned(tuple(map(decode_value, body["values"])))


def alternating(one: Callable[[], None], other: Callable[[], None], times: int) -> Iterator[tuple[float, float]]:
    """Seconds of both, turn and turn about; the first few are not counted."""
    for count in range(times + 5):
        seconds = []
        for action in (one, other):
            start = time.perf_counter()
            action()
            seconds.append(time.perf_counter() - start)
        if count >= 5:
            yield seconds[0], seconds[1]


PYTEST = """
import numpy as np, pytest, torch
from submission import scaled_dot_product_attention

@pytest.mark.parametrize("seed", range(8))
def test_values(seed):
    g = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(2, 5, 8, generator=g), torch.randn(2, 7, 8, generator=g), torch.randn(2, 7, 6, generator=g)
    w = torch.softmax(q @ k.transpose(-2, -1) / 8 ** 0.5, dim=-1)
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v), w @ v)
"""


@contextmanager
def pytest_folder() -> Iterator[tuple[list[str], str]]:
    """A folder with the submission and a test file of as many cases, and the command that runs it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "submission.py").write_text(RIGHT.read_text())
        Path(folder, "test_submission.py").write_text(PYTEST)
        code = "import os, pytest, sys; os.chdir(sys.argv[1]); sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))"
        yield [sys.executable, "-c", code, folder], folder


if __name__ == "__main__":
    main()

"""Measure what grading costs, as ratios within one run: ``make bench``.

Timings depend on the machine and are never asserted. Every row alternates between its two sides, so that a
temporary load affects both.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import compileall
import ctypes
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from grader.core.model import (
    Call,
    Case,
    Course,
    Exercise,
    Job,
    Limits,
    Observation,
    Observed,
    Part,
    Program,
    Raised,
    Returned,
    SourceFile,
    Submission,
    TooBig,
    Unreadable,
)
from grader.course import loader
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.grading.selection import Selection
from grader.sandbox import ZygoteSettings, open_sandbox
from grader.sandbox.children import Child, ChildFactory
from grader.sandbox.inside import frames
from grader.sandbox.launch import observe
from grader.sandbox.observation_cache import memoized
from grader.sandbox.wire import decode_value, encode_files, encode_tasks, tasks_of
from grader.submission import read

from benchmarks import large_class  # isort: skip
from tests import sample_class  # isort: skip
from tests.samples import sample  # isort: skip

ROOT = Path(__file__).parent.parent
NAME = "scaled_dot_product_attention"
SOLUTIONS = ROOT / "tests/solutions"
RIGHT = SOLUTIONS / NAME / "right/torch_plain.py"
CASES = 8
_PR_SET_CHILD_SUBREAPER = 36


def main(arguments: Sequence[str] | None = None) -> None:
    """Print every table, or those named. With ``--smoke`` little is measured: only to see that all of it runs."""
    parts = {part.__name__: part for part in (commands, submissions, a_class)}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(parts)}")
    parser.add_argument("--smoke", action="store_true", help="measure as little as possible")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.parts) - set(parts):
        parser.error(f"no part is called {', '.join(sorted(unknown))}; expected {', '.join(parts)}")
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, one thread per process\n")
    for name, part in parts.items():
        if name in asked.parts or not asked.parts:
            part(SMOKE if asked.smoke else USUAL)


@dataclass(frozen=True, slots=True)
class Size:
    """How much to measure: rounds of each command, submissions of one exercise and of all, rounds that do not count,
    runs of pytest, and learners who submit the whole bank.
    """

    commands: int
    single: int
    everything: int
    uncounted: int
    pytest: int
    learners: int


USUAL = Size(commands=5, single=60, everything=10, uncounted=5, pytest=3, learners=12)
SMOKE = Size(commands=1, single=1, everything=1, uncounted=0, pytest=1, learners=2)


# ------------------------------------------------------------------------------------------ commands


def commands(size: Size) -> None:
    """Seconds of CPU that whole commands take, with all their processes, compared with an import of torch."""
    # Processes that outlive their parent, such as the zygote of a worker, become children of this one and are counted.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # As installed: a checkout whose bytecode was never written compiles 200 modules for each command.
    compileall.compile_dir(ROOT / "grader", quiet=2)
    torch = [sys.executable, "-c", "import torch"]
    cli = [sys.executable, str(ROOT / "cli.py")]
    with tempfile.TemporaryDirectory() as warm:
        run([*cli, "start", "all", f"{warm}/stubs"], warm)
        wrong = Path(warm, "wrong.py")
        wrong.write_text(sample(f"{NAME}/wrong/no_scale").text)
        run([*cli, "grade", str(wrong), "-e", NAME], warm)  # so that the log has a misconception
        Path(warm, "class").mkdir()
        shutil.copy(RIGHT, Path(warm, "class", "ada.py"))
        # A new folder each time: a finished one has nothing to grade.
        begin = f"rm -rf {warm}/out; exec {' '.join(cli)} batch {warm}/class --out {warm}/out -q Q5 --workers 1"
        batch = ["sh", "-c", begin]
        start = f"rm -rf {warm}/started; exec {' '.join(cli)} start Q5 {warm}/started"
        rows = {
            "attncheck --help": ([*cli, "--help"], warm),
            "attncheck questions": ([*cli, "questions"], warm),
            "attncheck show Q5": ([*cli, "show", "Q5"], warm),
            "attncheck start Q5": (["sh", "-c", start], warm),
            "attncheck progress": ([*cli, "progress"], warm),
            "attncheck hint": ([*cli, "hint", "Q5", "-e", NAME], warm),
            "attncheck grade, one exercise, cold cache": ([*cli, "grade", str(RIGHT), "-e", NAME], None),
            "attncheck grade, one exercise, warm cache": ([*cli, "grade", str(RIGHT), "-e", NAME], warm),
            "attncheck grade, every stub, cold cache": ([*cli, "grade", f"{warm}/stubs"], None),
            "attncheck grade, every stub, warm cache": ([*cli, "grade", f"{warm}/stubs"], warm),
            "attncheck batch, one submission, warm cache": (batch, warm),
        }
        for command, cache in rows.values():
            _cpu_with(command, cache or warm)  # also waits for what would be counted with the first one
        print(f"{'command':<44}{'CPU s':>9}{'import torch':>14}{'ratio':>8}")
        for name, (command, cache) in rows.items():
            pairs = [(_cpu_with(command, cache), _cpu_with(torch, warm)) for _ in range(size.commands)]
            ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
            print(f"{name:<44}{ours:>9.3f}{theirs:>14.3f}{ours / theirs:>8.2f}")
    print()


def _cpu_with(command: list[str], cache: str | None) -> float:
    """Seconds of CPU that a command and its processes take; with ``cache`` None, each time with an empty cache."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if cache is not None:
        run(command, cache)
    else:
        with tempfile.TemporaryDirectory() as cold:
            run(command, cold)
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(command: list[str], cache: str) -> float:
    """Seconds that a command takes."""
    environment = os.environ | {"ATTNCHECK_CACHE": cache, "ATTNCHECK_STATE": f"{cache}/log.jsonl"}
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False)
    return time.perf_counter() - start


# --------------------------------------------------------------------------------------- submissions


def submissions(size: Size) -> None:
    """Submissions confined and unconfined in one process: one exercise, then a learner with every exercise."""
    whole = courses.load(loader.find(None))
    with open_sandbox(mode="require", settings=ZygoteSettings(collapse=True)) as sandbox, in_process() as bare:
        memory: dict[str, bytes] = {}
        expect = memoized(sandbox.observe, memory.get, memory.__setitem__)
        with everything_right(whole) as folder:
            rows = {
                f"{CASES} cases of one exercise": (
                    read(RIGHT),
                    GradingContext(eight_cases(whole), Seed.public(), expect),
                    size.single,
                ),
                "all cases of that exercise": (read(RIGHT), GradingContext(whole, Seed.public(), expect), size.single),
                "every exercise of the course": (
                    read(folder),
                    GradingContext(whole, Seed.public(), expect),
                    size.everything,
                ),
            }
        print(f"{'one submission, one worker':<32}{'unconfined':>12}{'confined':>12}{'ratio':>8}   children")
        single = 0.0
        for name, (submission, context, times) in rows.items():
            started = Counted(sandbox.children())
            pairs = alternating(
                partial(graded, submission, context, lambda job, limits, by=started: observe(by, job, limits)),
                partial(graded, submission, context, bare),
                times,
                size.uncounted,
            )
            ours, theirs = (statistics.median(side) * 1e3 for side in zip(*pairs, strict=True))
            children = started.count / (times + size.uncounted)
            print(f"{name:<32}{theirs:>9.1f} ms{ours:>9.1f} ms{ours / theirs:>8.1f}   {children:g}")
            single = single or ours  # the first row
        floor = 1e3 * statistics.median(idle(sandbox.children(), size))
        print(f"{'a child that returns one number':<32}{'':>12}{floor:>9.1f} ms: what a process of its own costs")
    with pytest_folder() as (command, place):
        pytest = statistics.median(run(command, place) for _ in range(size.pytest)) * 1e3
    print(f"pytest started for {CASES} cases, no isolation: {pytest:.0f} ms, {pytest / single:.0f} times as much")


def idle(children: ChildFactory, size: Size) -> list[float]:
    """Seconds from the start of a child, with a file of one line, to its only result."""
    code = Part("one.py", "def one(): return 1\n")
    job = Job((SourceFile("one.py", "one", (code,), (("one", 1),)),), (Program("one", (Call("one"),), (0,)),))
    seconds = []
    for _ in range(size.single + size.uncounted):
        start = time.perf_counter()
        seen = observe(children, job, Limits())
        seconds.append(time.perf_counter() - start)
        assert seen.observations == (Returned((1,)),), seen
    return seconds[size.uncounted :]


def graded(submission: Submission, context: GradingContext, by: Callable[[Job, Limits], Observed]) -> None:
    """Grade everything in the submission, which must be correct."""
    report = grade(context.course, submission, by, context=context)
    wrong = [e.name for q in report.questions for e in q.exercises if e.earned < e.possible]
    assert not wrong, wrong


class Counted:
    """A ``ChildFactory`` that counts its children."""

    unsafe = False

    def __init__(self, children: ChildFactory) -> None:
        self._children = children
        self.count = 0

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> Child:
        """As ``ChildFactory`` does."""
        self.count += 1
        return self._children.start(job, cpu_seconds, limits)


@contextmanager
def everything_right(whole: Course) -> Iterator[Path]:
    """A folder with a correct solution of every exercise, in torch where there is one."""
    with tempfile.TemporaryDirectory() as folder:
        for question in whole.questions:
            for exercise in question.exercises:
                texts = [path.read_text() for path in sorted((SOLUTIONS / exercise.name / "right").glob("*.py"))]
                text = next((text for text in texts if "import torch" in text), texts[0])
                Path(folder, f"{question.id.lower()}_{exercise.name}.py").write_text(text)
        yield Path(folder)


def eight_cases(loaded: Course) -> Course:
    """The course with only eight value cases of one exercise."""
    found = loaded.exercise(NAME)
    assert found is not None
    question, exercise = found
    cases: tuple[Case, ...] = tuple(c for c in exercise.cases if not c.only and c.raises is None)[:CASES]
    values = tuple(spec for spec in exercise.checks if spec.kind == "values")
    small: Exercise = replace(exercise, cases=cases, checks=values)
    return replace(loaded, questions=(replace(question, exercises=(small,)),))


@contextmanager
def in_process() -> Iterator[Callable[[Job, Limits], Observed]]:
    """An ``observe`` that runs everything in this process."""
    from grader.sandbox.inside import serve

    serve.warm_up()
    modules, finders = set(sys.modules), list(sys.meta_path)

    def run_here(job: Job, limits: Limits) -> Observed:
        with open(os.memfd_create("answers"), "r+b") as answers:
            try:
                with serve.captured() as printed:
                    session = serve.ChildSession(_value(encode_files(job)), answers.fileno(), printed)
                    tasks = tasks_of(job)
                    session.answer(frames.unpack_tasks(encode_tasks(tasks, limits)[frames.HEADER.size :]))
            finally:
                sys.meta_path[:] = finders
                # What a library has loaded late stays: torch._dynamo cannot be imported twice.
                for name in set(sys.modules) - modules:
                    if name.partition(".")[0] not in modules:
                        del sys.modules[name]
            answers.seek(0)
            data = answers.read()
        found = {task.index: seen for task, seen in zip(tasks, _observations(data), strict=True)}
        return Observed(tuple(found[index] for index in range(len(job.programs))), (), unsafe=True)

    yield run_here


def _value(frame: bytes) -> Any:
    return frames.decode(frame[frames.HEADER.size :])


def _observations(data: bytes) -> Iterator[Observation | None]:
    """The result of each task, in order; None for a file that was loaded."""
    at = 0
    while at < len(data):
        kind, length = frames.HEADER.unpack_from(data, at)
        body = frames.decode(data[at + frames.HEADER.size : at + frames.HEADER.size + length])
        at += frames.HEADER.size + length
        match kind:
            case frames.RETURNED:
                yield Returned(tuple(map(decode_value, body["values"])))
            case frames.RAISED:
                yield Raised(body["type"], body["text"], body["file"], body["line"], bases=tuple(body["bases"]))
            case frames.UNREADABLE:
                yield Unreadable(body["reason"], tuple(body["detail"]))
            case frames.TOO_BIG:
                yield TooBig(body["limit"])
            case _:
                yield None


def alternating(
    one: Callable[[], None], other: Callable[[], None], times: int, uncounted: int
) -> Iterator[tuple[float, float]]:
    """Seconds of both, measured alternately; the first ``uncounted`` are left out."""
    for count in range(times + uncounted):
        seconds = []
        for action in (one, other):
            start = time.perf_counter()
            action()
            seconds.append(time.perf_counter() - start)
        if count >= uncounted:
            yield seconds[0], seconds[1]


# ----------------------------------------------------------------------------------------- a class


def a_class(size: Size) -> None:
    """A class on the whole bank, graded by the real command; then the same with every call in this process."""
    ordinary = [number for number in range(40) if number not in sample_class.ODD][: size.learners]
    with large_class.invented(ordinary) as order:
        print(
            f"\n{len(ordinary)} learners, the whole bank".ljust(33)
            + f"{'seconds':>12}{'per second':>12}   largest process"
        )
        rates = []
        shared = {"seed": None, "cache": order("warm").scratch / "cache"}
        for name, workers in (("first", 2), ("one", 1), ("two", 2)):  # the first one finds nothing remembered
            asked = order(name, workers=workers, **shared)
            started, ran = _first_graded(asked)
            rate = (len(ordinary) - 1) / (ran.seconds - started)
            rates.append(rate)
            most = {role: large_class.megabytes(ran.quarter(4, role)) for role in large_class.ROLES.values()}
            told = ", ".join(f"{role} {size}" for role, size in most.items())
            said = f"{workers} worker{'s' * (workers > 1)}{', nothing remembered' * (name == 'first')}"
            print(f"{said:<32}" + f"{ran.seconds:>12.1f}{rate:>12.2f}   {told}")
        bare = _all_here(asked)
        print(f"{'in one process, unconfined':<32}{'':>12}{bare:>12.2f}   ratio {bare / rates[1]:.2f} to one worker")


def _first_graded(asked: large_class.Order) -> tuple[float, large_class.Ran]:
    """When the first result was saved (the rate is measured from there), and the whole run."""
    running = large_class.Running(asked, asked.scratch / "log")
    running.wait(lambda: large_class.graded(asked.out) > 0, 0.05)
    started = running.seconds()
    running.wait()
    ran = running.ended()
    assert ran.code == 0, (asked.scratch / "log").read_text()
    return started, ran


def _all_here(asked: large_class.Order) -> float:
    """Submissions per second with every call in this process; results of mistakes are already cached."""
    whole = courses.load(loader.find(None))
    os.environ["ATTNCHECK_CACHE"] = str(asked.cache)
    with open_sandbox(mode="require", settings=ZygoteSettings(collapse=True)) as sandbox, in_process() as bare:
        context = GradingContext(whole, Seed.public(), reference_observer(sandbox.observe, Seed.public()))
        found = [read(path) for path in sorted(asked.collection.iterdir())]
        selection = Selection(everything=True)
        grade(whole, found[0], sandbox.observe, selection=selection, context=context)
        started = time.perf_counter()
        for submission in found[1:]:
            grade(whole, submission, bare, selection=selection, context=context)
        return (len(found) - 1) / (time.perf_counter() - started)


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
    """A folder with the submission and a test file with as many cases, and the command that runs it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "submission.py").write_text(RIGHT.read_text())
        Path(folder, "test_submission.py").write_text(PYTEST)
        code = "import os, pytest, sys; os.chdir(sys.argv[1]); sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))"
        yield [sys.executable, "-c", code, folder], folder


if __name__ == "__main__":
    main()

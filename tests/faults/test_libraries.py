"""The libraries that submissions run on vanish or change while in use: nothing is graded, and no points are lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch, schedule, worker
from grader.classroom.batch import BatchRequest
from grader.classroom.gradebook import open_gradebook
from grader.classroom.recorder import GradingPlan
from grader.classroom.results import Book
from grader.classroom.task import BatchPlan, GradingTask, TaskResult
from grader.core.errors import LibrariesChanged, SandboxError
from grader.core.model import Call, Job, Limits, Observed, Part, Program, Raised, Returned, SourceFile
from grader.core.text import same
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox, ZygoteSettings, launch, open_sandbox, policy
from grader.sandbox.policy import Snapshot
from tests import tiny
from tests.tiny import in_process as in_process

LIMITS = Limits()
JOB = Job((), ())


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a part that is imported late, in place of torch and NumPy."""
    place = tmp_path / "late"
    (place / "inner").mkdir(parents=True)
    for name in ("__init__.py", "part.py", "inner/__init__.py"):
        (place / name).write_text("")
    monkeypatch.setattr(policy, "packages", lambda allowed=(): {"late": place})
    return place


def upgrade(place: Path) -> None:
    """Replaces a file by one of the same name, as installers do."""
    (place / "new").write_text("new = True")
    (place / "new").rename(place / "part.py")


def delete(place: Path) -> None:
    """Removes the whole library."""
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    place.rmdir()


def compile_(place: Path) -> None:
    """Writes what Python itself writes there."""
    (place / "inner" / "__pycache__").mkdir()
    (place / "inner" / "__pycache__" / "part.cpython-311.pyc").write_text("")


CHANGES: dict[str, tuple[Callable[[Path], object], bool]] = {
    "nothing": (lambda place: None, False),
    "compiled": (compile_, False),
    "a file less": (lambda place: (place / "part.py").unlink(), True),
    "a file less, deeper": (lambda place: (place / "inner" / "__init__.py").unlink(), True),
    "a file more": (lambda place: (place / "more.py").write_text(""), True),
    "another file": (upgrade, True),
    "gone": (delete, True),
}


@pytest.mark.parametrize(("change", "noticed"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("ends", ["with a result", "with an error"])
def test_what_came_back_is_thrown_away(
    change: Callable[[Path], object], noticed: bool, ends: str, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the libraries changed during a job, its result or error is discarded."""
    seen = Observed((Raised("ModuleNotFoundError", "no late.part", None, None),), (), unsafe=True)

    def observe(*_: object) -> Observed:
        change(library)
        if ends == "with an error":
            raise SandboxError(same("the sandboxed child ended before it was ready"))
        return seen

    monkeypatch.setattr(launch, "observe", observe)
    os.utime(library / "inner", ns=(0, 0))  # so that even a change within one tick of the clock shows
    os.utime(library, ns=(0, 0))
    sandbox = Sandbox("plain", ZygoteSettings())
    if noticed:
        for _ in range(2):  # and it stays so: a new sandbox is needed
            with pytest.raises(LibrariesChanged, match=r"late.*run the command again"):
                sandbox.observe(JOB, LIMITS)
            change = CHANGES["nothing"][0]
    elif ends == "with an error":
        with pytest.raises(SandboxError, match="before it was ready"):
            sandbox.observe(JOB, LIMITS)
    else:
        assert sandbox.observe(JOB, LIMITS) == seen


@pytest.mark.parametrize("change", ["a file less", "a file less, deeper", "a file more", "gone"])
def test_a_worker_that_starts_later(change: str, library: Path) -> None:
    """A worker refuses an environment that broke before it started."""
    before = policy.libraries_digest(())
    Sandbox("plain", ZygoteSettings()).expect_libraries(before)
    CHANGES["compiled"][0](library)
    assert policy.libraries_digest(()) == before
    CHANGES[change][0](library)
    with pytest.raises(LibrariesChanged):
        Sandbox("plain", ZygoteSettings()).expect_libraries(before)


@pytest.mark.usefixtures("in_process")
def test_a_batch_stops_and_continues(
    library: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was graded before is kept, nothing is recorded after, and the same command grades the rest in full."""
    order = BatchRequest(
        tiny.handed_in(tmp_path / "in"), tmp_path / "out", tiny.course(tmp_path / "course"), Seed.public()
    )
    monkeypatch.setattr(sandbox, "_libraries", Snapshot.take([library]))
    monkeypatch.setattr(schedule, "_AHEAD", 1)
    begun: list[str] = []

    def work(plan: BatchPlan, task: GradingTask) -> TaskResult:
        begun.append(task.key)
        if len(begun) == 2:
            (library / "part.py").unlink()
        return worker.run_task(plan, task)

    monkeypatch.setattr(schedule, "run_task", work)
    with pytest.raises(LibrariesChanged):
        batch.run(replace(order, workers=1))
    assert len(begun) == 2
    monkeypatch.setattr(sandbox, "_libraries", Snapshot.take([library]))
    done = batch.run(order)
    assert (done.kept, done.graded) == (1, 1)
    assert [key for key, _ in done.refused] == ["cy.py"]
    with closing(open_gradebook(order.out)) as book:
        marks = Book.of(book, courses.load(order.course_folder)).marks()
        assert {mark.learner.id: mark.earned for mark in marks} == {"ada": 4, "bo": 0, "cy": 0}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (tiny.RIGHT, True),
        ("double = 1\n", False),
        ("def double(x):\n    return x\n", False),
        ("def double(x):\n    try:\n        import late.part\n    except ImportError:\n        return x\n", False),
        ("import late.part\n" + tiny.RIGHT, False),
        ("def other(x): ...\n", True),
    ],
    ids=["right", "no function", "another value", "does without it", "right, with a notice", "nothing was run"],
)
def test_only_a_success_is_kept_if_a_library_vanishes(
    text: str, kept: bool, library: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else code did may be due to the library, also a value that it returned."""
    context = GradingContext(courses.load(tiny.course(tmp_path / "course")), Seed.public(), sandbox.observe)
    context.prepare({question.id for question in context.course.questions})
    (tmp_path / "ada.py").write_text(text)
    task = GradingTask(
        "ada.py", str(tmp_path / "ada.py"), "ada", tuple(question.id for question in context.course.questions)
    )
    monkeypatch.setattr(sandbox, "_libraries", Snapshot.take([library]))
    (library / "part.py").unlink()
    if kept:
        assert worker.grade_task(context, sandbox, task).error is None
    else:
        with pytest.raises(LibrariesChanged):
            worker.grade_task(context, sandbox, task)


def test_workers_are_told_what_the_batch_began_with(library: Path, tmp_path: Path, in_process: None) -> None:
    """Workers get the digest of the libraries that the batch started with."""
    folder = tiny.course(tmp_path / "course")
    order = BatchRequest(tmp_path, tmp_path / "out", folder, Seed.public())
    told: list[str] = []

    class Learning(tiny.InProcess):
        def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            told.append(args[0].libraries)
            return super().submit(function, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedule, "executor", lambda count: Learning())
        task = GradingTask("ada", "x", "ada", ("Q1",))
        with batch.grade(order, GradingPlan(courses.load(folder), order.seed, {}, {}, (task,))):
            pass
    assert set(told) == {policy.libraries_digest(())}


def test_a_worker_refuses_other_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another digest, a worker raises before it grades, every time."""
    place = tmp_path / "late"
    place.mkdir()
    monkeypatch.setattr(worker, "Sandbox", lambda mode, settings: Sandbox("plain", settings))
    monkeypatch.setattr(policy, "packages", lambda allowed=(): {"late": place})
    plan = BatchPlan(str(tiny.course(tmp_path / "course")), Seed.public(), "", policy.libraries_digest(()))
    (place / "more.py").write_text("")
    for _ in range(2):
        with pytest.raises(LibrariesChanged):
            worker.warm_up(plan)


@pytest.mark.prove
def test_a_library_that_vanishes_while_code_runs(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the real sandbox, code that imports part of a deleted library loses no points."""
    monkeypatch.undo()
    found = policy.packages() | {"late": library}
    monkeypatch.setattr(policy, "packages", lambda allowed=(): found)
    text = "def f():\n    import late.part\n    return 1\n"
    job = Job((SourceFile("a.py", "a", (Part("a.py", text),)),), (Program("a", (Call("f"),), (0,)),))
    with open_sandbox(mode="require") as opened:
        assert opened.observe(job, LIMITS).observations == (Returned((1,)),)
        (library / "part.py").unlink()
        (seen,) = launch.observe(opened.children(), job, LIMITS).observations
        assert isinstance(seen, Raised) and seen.type == "ModuleNotFoundError"  # would have cost points
        with pytest.raises(LibrariesChanged, match="late"):
            opened.observe(job, LIMITS)

"""A batch on a Dask cluster: a scheduler and workers in processes of their own, and what happens when they end."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import Client
from distributed.scheduler import KilledWorker

from grader.classroom import batch, dask, schedule
from grader.classroom.batch import BatchProgress, BatchRequest
from grader.classroom.dask import DaskExecutor, GradingPlugin, software_versions
from grader.classroom.gradebook import open_gradebook
from grader.classroom.results import Book
from grader.classroom.task import GradingTask, TaskResult, decode
from grader.classroom.worker import WorkerLost
from grader.core import cache
from grader.core.errors import AttncheckError, SandboxError, SandboxUnavailable, UsageError
from grader.core.text import same
from grader.grading import courses
from grader.grading.inputs import Seed
from grader.instructor.export import ExportOptions, ExportTarget, export
from grader.sandbox import Sandbox
from grader.sandbox.canaries import AttackResult
from grader.submission import read_files
from tests import tiny
from tests.tiny import in_process as in_process

ROOT = Path(__file__).parents[2]
#: Long enough for a machine that is busy with other things.
LONG = 120.0


class Cluster:
    """A scheduler and workers on this machine; what was killed is started again by ``up``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def up(self, workers: int) -> str:
        """The address of the scheduler, with so many workers."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.kill()
            self.file.unlink(missing_ok=True)
            file = ("--scheduler-file", str(self.file), "--host", "127.0.0.1")
            self.scheduler = self._start("dask_scheduler", *file, "--port", "0", "--no-dashboard")
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < workers:
            file = ("--scheduler-file", str(self.file), "--host", "127.0.0.1")
            self.workers.append(self._start("dask_worker", *file, "--nthreads", "1", "--no-nanny", "--no-dashboard"))
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            try:
                return str(json.loads(self.file.read_text())["address"])
            except (OSError, ValueError):
                time.sleep(0.02)
        raise TimeoutError("no scheduler")

    def _start(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        # A task whose worker dies is not tried by Dask again, but by us.
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        command = [sys.executable, "-m", f"distributed.cli.{program}", *options]
        return subprocess.Popen(
            command, cwd=self.folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self) -> None:
        """Ends all of it at once."""
        for process in [*self.workers, *filter(None, [self.scheduler])]:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster, for whoever needs one."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.kill()


@pytest.fixture
def order(tmp_path: Path) -> BatchRequest:
    """Ada, Bo, Cy and others, a course of one question and a secret seed."""
    tiny.handed_in(tmp_path / "in")
    for at in range(8):
        (tmp_path / "in" / f"x{at}.py").write_text(tiny.RIGHT)
    (tmp_path / "seed").write_bytes(b"a seed that nobody knows")
    return BatchRequest(
        tmp_path / "in", tmp_path / "out", tiny.course(tmp_path / "course"), Seed.from_file(tmp_path / "seed")
    )


def exported(order: BatchRequest) -> bytes:
    """All that a gradebook says, but for times and places."""
    place = order.out / "all.json"
    with closing(open_gradebook(order.out)) as book:
        export(
            "json",
            Book.of(book, courses.load(order.course_folder)),
            ExportOptions(),
            ExportTarget(place, lambda _: None),
        )
    return place.read_bytes()


# ---------------------------------------------------------------------------------- a real cluster


@pytest.mark.prove
def test_a_class_is_graded_on_a_cluster(running: Cluster, order: BatchRequest, in_process: None) -> None:
    """As here, byte for byte, though one of two workers is killed on the way; nothing is left on the other."""
    address = running.up(workers=2)
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=LONG)
    steps: list[BatchProgress] = []

    def progress(step: BatchProgress) -> None:
        steps.append(step)
        if step.done == 1:
            running.workers[0].kill()

    summary = batch.run(replace(order, scheduler=address), progress)
    assert [(step.done, step.total) for step in steps] == [(at, 11) for at in range(1, 12)]
    assert any(step.waiting for step in steps)
    assert (summary.graded, [key for key, _ in summary.refused]) == (10, ["cy.py"])
    assert "seccomp" in summary.layers
    assert not (order.out / ".expected").exists()
    here = replace(order, out=order.out.with_name("here"))
    assert batch.run(here).graded == 10
    assert exported(order) == exported(here)
    with Client(address, set_as_default=False) as client:
        (plugins,) = client.run(lambda dask_worker: list(dask_worker.plugins)).values()
    assert not [name for name in plugins if name.startswith("attncheck")]


@pytest.mark.prove
def test_a_cluster_that_goes_away(running: Cluster, order: BatchRequest, in_process: None) -> None:
    """Is told; earlier results is kept, and the same command goes on."""
    address = running.up(workers=1)

    def progress(step: BatchProgress) -> None:
        assert running.scheduler is not None
        running.scheduler.kill()

    with pytest.raises(SandboxError, match=r"cluster .*; earlier results are saved"):
        batch.run(replace(order, scheduler=address), progress)
    summary = batch.run(order)
    assert (summary.graded + summary.kept, summary.kept > 0) == (10, True)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_nobody_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a scheduler is a wrong address, whatever is wrong with it."""
    monkeypatch.setattr(dask, "CONNECT_TIMEOUT", 0.1)
    with pytest.raises(UsageError, match=f"No Dask scheduler answers at {address}"):
        dask._reached(address)


# ------------------------------------------------------------------------------- in a worker process


@pytest.fixture
def desk(tmp_path: Path, in_process: None, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> GradingPlugin:
    """As it comes to a worker; its sandbox is the session's."""
    monkeypatch.setattr(dask, "Sandbox", lambda mode, settings: tiny.Lent(sandbox))
    monkeypatch.setattr(dask, "try_attacks", lambda observe: [AttackResult("do harm", "refused")])
    made: GradingPlugin = pickle.loads(
        pickle.dumps(GradingPlugin("attncheck-x", courses.load(tiny.course(tmp_path)), software_versions()))
    )
    return made


def test_a_desk_grades_what_is_sent(desk: GradingPlugin, tmp_path: Path) -> None:
    """With the files that came along, whatever lies at their path; with the seed that came along, too."""
    (tmp_path / "ada.py").write_text(tiny.RIGHT)
    task = GradingTask("ada", str(tmp_path / "ada.py"), "ada", ("Q1",), read_files(tmp_path / "ada.py"))
    (tmp_path / "ada.py").unlink()
    worker = SimpleNamespace(address="tcp://here", plugins={"attncheck-x": desk})
    asyncio.run(desk.setup(worker))
    assert "seccomp" in dask._layers("attncheck-x", worker)
    secret = Seed("file", b"a seed that nobody knows", secret=True)
    for seed in (Seed.public(), secret, secret):
        done = desk.grade(seed, task)
        assert (done.error, [(one.question, decode(one.body).earned) for one in done.results]) == (None, [("Q1", 4)])
        assert (cache.folder() / "attncheck-x").exists() == seed.secret
    asyncio.run(desk.teardown(worker))
    with pytest.raises(SandboxError, match="tcp://here was told to stop"):
        dask._layers("attncheck-y", worker)
    desk.close()
    desk.close()
    assert not (cache.folder() / "attncheck-x").exists()


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (
            {"software_versions": lambda: {**software_versions(), "torch": "2.0.0"}},
            UsageError,
            r"tcp://there: torch 2\.0\.0 there, .* here",
        ),
        (
            {
                "try_attacks": lambda observe: [
                    AttackResult("read a file", "let-through"),
                    AttackResult("list a folder", "refused"),
                ]
            },
            SandboxUnavailable,
            r"does not work on tcp://there: code could read a file",
        ),
        (
            {"try_attacks": lambda observe: _unavailable()},
            SandboxUnavailable,
            "tcp://there cannot confine learner code: no",
        ),
    ],
)
def test_a_worker_that_is_not_fit(
    change: dict[str, Callable[..., object]],
    kind: type[AttncheckError],
    said: str,
    desk: GradingPlugin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Says so when it gets ready, and again to whoever sends it something; it grades nothing."""
    for name, value in change.items():
        monkeypatch.setattr(dask, name, value)
    with pytest.raises(kind, match=said):
        asyncio.run(desk.setup(SimpleNamespace(address="tcp://there")))
    monkeypatch.undo()
    with pytest.raises(kind, match=said) as raised:
        desk.grade(Seed.public(), GradingTask("ada", "nowhere", "ada", ("Q1",)))
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def _unavailable() -> None:
    raise SandboxUnavailable(same("no"))


# ---------------------------------------------------------------------------------------------- here


class Told:
    """A client that says what it is told to: the numbers of workers one after the other, then nothing any more."""

    def __init__(
        self, *numbers: int, software: dict[str, object] | None = None, error: Exception | None = None
    ) -> None:
        self.scheduler = SimpleNamespace(address="tcp://made-up")
        self._numbers = list(numbers)
        self._software = software
        self._error = error

    def nthreads(self) -> dict[int, int]:
        """So many workers."""
        if not self._numbers:
            raise OSError("closed")
        return dict.fromkeys(range(self._numbers.pop(0)), 1)

    def submit(self, *_: object, **__: object) -> Told:
        """Something that may have a result."""
        return self

    def result(self, timeout: float) -> None:
        """Or not."""
        if self._error is not None:
            raise self._error

    def run(self, *_: object, **__: object) -> dict[str, object]:
        """What all workers say."""
        return self._software or {}


def test_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one, so that something is on its way; an error after a long time without, or without an answer."""
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(dask, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    pool = DaskExecutor(Told(2, 0, 0, 3, 0, 0, 0), "plugin", (), timeout=25)
    assert [pool.size() for _ in range(6)] == [2, 1, 1, 3, 1, 1]
    with pytest.raises(SandboxError, match="no worker for 25 s"):
        pool.size()
    with pytest.raises(SandboxError, match=r"tcp://made-up has failed \(OSError: closed\); earlier results"):
        pool.size()


def test_the_number_is_asked_for_now_and_then() -> None:
    """Not with every submission."""
    pool = DaskExecutor(Told(2), "plugin", ())
    assert [pool.size(), pool.size()] == [2, 2]


def test_a_submission_that_is_gone(tmp_path: Path) -> None:
    """Is not sent; it is what it would be here."""
    done = (
        DaskExecutor(Told(), "plugin", ())
        .grade(Seed.public(), GradingTask("ada", str(tmp_path / "ada.py"), "ada", ("Q1",)))
        .result()
    )
    assert done.error is not None
    assert "ada.py" in done.error.en


@pytest.mark.parametrize(
    ("status", "error", "kind", "said"),
    [
        ("error", KilledWorker("attncheck-1", None, 0), WorkerLost, "^$"),  # type: ignore[arg-type]
        ("error", UsageError(same("no")), UsageError, "^no$"),
        ("error", ZeroDivisionError("oops"), SandboxError, "a worker of the cluster had to stop: ZeroDivisionError"),
        ("error", OSError(28, "No space left on device"), SandboxError, "had to stop: no space left"),
        ("cancelled", CancelledError(), SandboxError, r"lost \(CancelledError\); earlier results"),
        ("finished", OSError("closed"), SandboxError, r"lost \(OSError: closed\)"),
    ],
)
def test_what_can_come_of_a_task(status: str, error: Exception, kind: type[Exception], said: str) -> None:
    """Our own errors as they are, a worker that is gone as that, everything else in words that say what to do."""

    class Theirs:
        def __init__(self) -> None:
            self.status = status

        def __await__(self) -> Iterator[Any]:
            raise error
            yield

    with pytest.raises(kind, match=said):
        asyncio.run(dask._outcome(Theirs()))


def test_nobody_waits_for_what_is_called_off() -> None:
    """Ctrl-C calls off what is on its way."""
    pool = DaskExecutor(Told(), "plugin", ())
    future = schedule.Future[TaskResult]()
    pool._running.add(future)
    pool.shutdown()
    assert not future.cancelled()
    pool.shutdown(cancel_futures=True)
    assert future.cancelled()


@pytest.mark.parametrize(
    ("client", "said"),
    [
        (Told(error=TimeoutError()), "No worker joined the cluster within 3 s.*dask worker tcp://made-up"),
        (
            Told(software={"tcp://a": {**software_versions(), "torch": "2.0"}, "tcp://b": software_versions()}),
            r"grade differently\. tcp://a: torch 2\.0 there, [0-9.]+ here\. Install",
        ),
        (
            Told(software={"tcp://a": ModuleNotFoundError("No module named 'grader'")}, error=ModuleNotFoundError()),
            r"tcp://a: attncheck cannot be used there \(ModuleNotFoundError: No module named 'grader'\)",
        ),
        (Told(software={str(at): {} for at in range(8)}), "; and 3 more"),
    ],
)
def test_workers_that_are_not_like_us(client: Told, said: str) -> None:
    """Are named, with what is different; and there must be one."""
    with pytest.raises(UsageError, match=said):
        dask._check_software(client, 3)


def test_workers_that_are_like_us() -> None:
    """May grade."""
    dask._check_software(Told(software={"tcp://a": software_versions()}), 3)


def test_processes_here_or_elsewhere(order: BatchRequest) -> None:
    """``--workers`` has no meaning on a cluster, and is not quietly left aside."""
    with pytest.raises(UsageError, match="cannot be combined"):
        batch.run(replace(order, workers=2, scheduler="tcp://127.0.0.1:1"))


def test_without_the_library(order: BatchRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install is said; without ``--scheduler`` it is not missed."""
    monkeypatch.delattr("grader.classroom.dask")
    monkeypatch.delitem(sys.modules, "grader.classroom.dask")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"not installed here \(distributed\): `pip install 'attncheck\[cluster\]'`"):
        batch.run(replace(order, scheduler="tcp://127.0.0.1:1"))

"""Workers of a Dask cluster, in the place of processes here: ``attncheck batch --scheduler``.

Course, submissions and results travel over the network; the machines share no folder. On each worker process a plugin
keeps one sandbox, in which one submission after the other is graded. Imported where a scheduler is named, and only
then: ``distributed`` is an extra.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib.metadata
import logging
import os
import platform
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from distributed import Client, get_worker
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.scheduler import KilledWorker

from grader import __version__
from grader.classroom.worker import Done, Lost, Task, judged
from grader.core import cache, resources
from grader.core.errors import AttncheckError, CacheError, SandboxError, SandboxUnavailable, SubmissionError, UsageError
from grader.core.model import Course
from grader.grading.grade import Memo
from grader.grading.inputs import Seed
from grader.grading.reference_results import expecting
from grader.sandbox import Sandbox, Settings
from grader.sandbox.canaries import fault, release
from grader.sandbox.memo import remembering
from grader.submission import gathered

if TYPE_CHECKING:
    from grader.core.model import Observe

T = TypeVar("T")

#: Seconds until there must be a scheduler; and until there must be a worker, which a queue may have to start first.
REACHED_WITHIN = 15.0
PATIENCE = 600.0
#: How long the number of workers is believed.
_COUNTED = 2.0
_MOST_NAMED = 5
_AGAIN = "what was graded is kept, and the same command goes on where it was"

#: One at a time, whatever the number of threads of a worker: limits are measured by clocks.
_ALONE = threading.Lock()


# -------------------------------------------------------------------------------- in a worker process


def software() -> dict[str, str]:
    """What has to be the same everywhere, so that everybody is graded alike."""
    libraries = {name: importlib.metadata.version(name).partition("+")[0] for name in ("torch", "numpy")}
    return {"attncheck": __version__, "python": ".".join(platform.python_version_tuple()[:2]), **libraries}


class Desk(WorkerPlugin):  # type: ignore[misc]
    """What a worker process keeps for a class: its course, and a sandbox that has been attacked and held."""

    def __init__(self, name: str, course: Course, here: Mapping[str, str]) -> None:
        self.name = name
        self._course = course
        self._wanted = dict(here)
        self._where = "a worker"
        self._memo: Memo | None = None
        self._sandbox: Sandbox | None = None
        self._refusal: AttncheckError | None = None

    async def setup(self, worker: Any) -> None:
        """Gets ready, when the plugin comes to the worker or the worker to the cluster; the worker goes on meanwhile.

        Raises what ``grade`` will raise: a worker that joins later has nobody to tell.
        """
        self._where = worker.address
        await asyncio.to_thread(self.layers)

    async def teardown(self, worker: Any) -> None:
        """Ends the sandbox once nothing is graded in it; nobody waits for that."""
        threading.Thread(target=self.close, daemon=True).start()

    def layers(self) -> tuple[str, ...]:
        """What stands between learner code and this worker. Raises where that does not suffice."""
        with _ALONE:
            return self._open().layers

    def grade(self, seed: Seed, task: Task) -> Done:
        """Grades ``task``, after what other threads have in hand."""
        with _ALONE:
            sandbox = self._open()
            if self._memo is None or self._memo.seed != seed:
                self._memo = Memo(self._course, seed, self._expecting(sandbox.observe, seed))
            return judged(self._memo, sandbox, task)

    def _expecting(self, observe: Observe, seed: Seed) -> Observe:
        """``observe`` for references. With a secret seed, its memory lasts as long as the batch."""
        if not seed.secret:
            return expecting(observe, seed)
        get, put = functools.partial(cache.get, self.name), functools.partial(cache.put, self.name)
        return remembering(observe, get, put)

    def close(self) -> None:
        """Ends the sandbox, and forgets what follows from the seed; who grades on here works it out again."""
        with _ALONE:
            if self._sandbox is not None:
                self._sandbox.close()
            self._sandbox = self._memo = None
        with contextlib.suppress(CacheError):
            shutil.rmtree(cache.folder() / self.name, ignore_errors=True)

    def _open(self) -> Sandbox:
        """The sandbox, started and tried with the first use. Raises every time what was wrong with it then."""
        if self._refusal is not None:
            raise self._refusal
        if self._sandbox is None:
            sandbox = Sandbox("require", Settings(collapse=True, packages=self._course.packages))
            try:
                different = _different(self._wanted, software())
                if different:
                    raise UsageError(_unlike([f"{self._where}: {different}"]))
                self._try(sandbox)
            except AttncheckError as error:
                sandbox.close()
                self._refusal = error
                raise
            self._sandbox = sandbox
        return self._sandbox

    def _try(self, sandbox: Sandbox) -> None:
        try:
            said = fault(release(sandbox.observe), self._where)
        except SandboxUnavailable as error:
            raise SandboxUnavailable(f"{self._where} cannot confine learner code: {error}") from error
        if said:
            raise SandboxUnavailable(
                f"{said}; stop that worker, and run the command again. 'attncheck doctor' there shows the layers"
            )


def _grade(desk: str, seed: Seed, task: Task) -> Done:
    return _desk(get_worker(), desk).grade(seed, task)


def _layers(desk: str, dask_worker: Any) -> tuple[str, ...]:
    return _desk(dask_worker, desk).layers()


def _desk(worker: Any, name: str) -> Desk:
    found: Desk | None = worker.plugins.get(name)
    if found is None:
        raise SandboxError(f"{worker.address} has been told to stop grading; {_AGAIN}")
    return found


# ---------------------------------------------------------------------------------------------- here


class Crew(Executor):
    """The workers of a cluster as an executor. One whose worker is gone for good ends with ``Lost``, alone."""

    def __init__(self, client: Client, desk: str, layers: tuple[str, ...], patience: float = PATIENCE) -> None:
        self.layers = layers
        self._client = client
        self._desk = desk
        self._patience = patience
        self._counted = (0.0, 0)
        self._seen = time.monotonic()
        self._flying: set[Future[Any]] = set()

    def size(self) -> int:
        """How many worker processes there are, at least one. Raises SandboxError after a long time without any."""
        now = time.monotonic()
        at, found = self._counted
        if not at or now - at > _COUNTED:
            with _told(self._client.scheduler.address):
                found = len(self._client.nthreads())
            self._counted = now, found
        if found:
            self._seen = now
        elif now - self._seen > self._patience:
            raise SandboxError(f"the cluster has had no worker for {self._patience:g} s; start some: {_AGAIN}")
        return max(1, found)

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """See ``Executor``. The key says nothing about what is sent: everybody who uses the cluster sees it."""
        key = f"attncheck-{uuid.uuid4().hex}"
        with _told(self._client.scheduler.address):
            theirs = self._client.submit(function, *args, **kwargs, key=key, pure=False)
        ours: Future[T] = asyncio.run_coroutine_threadsafe(_outcome(theirs), self._client.loop.asyncio_loop)
        self._flying.add(ours)
        ours.add_done_callback(self._flying.discard)
        return ours

    def grade(self, seed: Seed, task: Task) -> Future[Done]:
        """``task``, done, with its files sent along."""
        try:
            carried = replace(task, files=gathered(Path(task.path)))
        except SubmissionError as error:
            unread: Future[Done] = Future()
            unread.set_result(Done(task.key, error=str(error)))
            return unread
        return self.submit(_grade, self._desk, seed, carried)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See ``Executor``; the cluster goes on, and so may we."""
        if cancel_futures:
            for future in tuple(self._flying):
                future.cancel()


async def _outcome(theirs: Any) -> Any:
    """What came of a task of Dask's, with our own words for what can happen to it on the way."""
    try:
        return await theirs
    except KilledWorker as error:
        raise Lost from error
    except AttncheckError:
        raise
    except Exception as error:
        if theirs.status == "error":
            said = resources.lacks(error) or _said(error)
            raise SandboxError(f"a worker of the cluster could not go on: {said}; {_AGAIN}") from error
        raise SandboxError(f"the connection to the cluster was lost ({_said(error)}); {_AGAIN}") from error


@contextlib.contextmanager
def hired(address: str, desk: str, course: Course, patience: float = PATIENCE) -> Iterator[Crew]:
    """The workers of the cluster whose scheduler is at ``address``, with a ``desk`` for ``course``; one per batch.

    Raises UsageError where there is no such cluster, or one that is not like this machine, and SandboxUnavailable where
    one of its machines cannot confine code.
    """
    with _quiet(), contextlib.closing(_reached(address)) as client:
        try:
            with _told(address):
                _alike(client, patience)
                client.register_plugin(Desk(desk, course, software()))
                found = client.run(functools.partial(_layers, desk), on_error="ignore").values()
            first = next(iter(found), ())
            yield Crew(client, desk, tuple(layer for layer in first if all(layer in each for each in found)), patience)
        finally:
            if client.status == "running":
                with contextlib.suppress(Exception):  # whatever it is, it came after the last result
                    client.unregister_worker_plugin(desk)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what Dask logs about connections: we say it, with what to do."""
    before = logging.root.manager.disable
    if not os.environ.get("ATTNCHECK_DEBUG"):
        logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextlib.contextmanager
def _told(address: str) -> Iterator[None]:
    """Says in our words what may go wrong with a cluster."""
    try:
        yield
    except AttncheckError:
        raise
    except Exception as error:
        raise SandboxError(f"the cluster at {address} does not work any more ({_said(error)}); {_AGAIN}") from error


def _reached(address: str) -> Client:
    try:
        return Client(address, timeout=REACHED_WITHIN, set_as_default=False, name="attncheck")
    except Exception as error:
        raise UsageError(
            f"No Dask scheduler answers at {address} ({_said(error)}). "
            "'dask scheduler' starts one and writes its address; docs/cluster.md says more."
        ) from error


def _alike(client: Client, patience: float) -> None:
    """Waits for a worker, and raises UsageError unless all of them have the software that is here."""
    try:
        client.submit(software, pure=False).result(timeout=patience)  # clusters that grow wait for something to do
    except TimeoutError:
        raise UsageError(
            f"No worker has come to the cluster within {patience:g} s. Start some with 'dask worker "
            f"{client.scheduler.address}', or see why the queue does not start them."
        ) from None
    except Exception:
        pass  # it comes again, with the name of the worker
    here = software()
    found = client.run(software, on_error="return")
    wrong = [f"{worker}: {why}" for worker, there in found.items() if (why := _different(here, there))]
    if wrong:
        raise UsageError(_unlike(wrong))


def _different(here: Mapping[str, str], there: Mapping[str, str] | Exception) -> str:
    """In what the software there is not that of here; empty where it is."""
    if isinstance(there, Exception):
        return f"attncheck cannot be used there ({_said(there)})"
    differing = ((name, ours, there.get(name)) for name, ours in here.items())
    return ", ".join(f"{name} {theirs} there, {ours} here" for name, ours, theirs in differing if ours != theirs)


def _unlike(wrong: list[str]) -> str:
    more = f"; and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    return (
        "Workers must have the software that is here, or they would grade in another way. "
        f"{'; '.join(wrong[:_MOST_NAMED])}{more}. "
        f"Install attncheck[cluster]=={__version__} there with the same Python, torch and NumPy, and restart them."
    )


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().removesuffix(":").replace("\n", " ")

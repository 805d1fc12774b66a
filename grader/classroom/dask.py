"""Grade on the workers of a Dask cluster: ``attncheck batch --scheduler``.

The course, submissions and results are sent over the network, so the machines need no shared folder. In each worker
process, a plugin keeps one sandbox, which grades one submission at a time. ``distributed`` is an optional dependency,
so this module is imported only if a scheduler is given.
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
from typing import Any, TypeVar

from distributed import Client, get_worker
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.scheduler import KilledWorker

from grader import __version__
from grader.classroom.task import GradingTask, TaskResult
from grader.classroom.worker import SHARED_RESULTS, WorkerLost, grade_task
from grader.core import cache, resources
from grader.core.errors import AttncheckError, CacheError, SandboxError, SandboxUnavailable, SubmissionError, UsageError
from grader.core.model import Course, Message, Observe, Text
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.grading.reference_results import reference_observer
from grader.sandbox import Sandbox, ZygoteSettings
from grader.sandbox.canaries import refusal, try_attacks
from grader.sandbox.observation_cache import memoized
from grader.submission import read_files

T = TypeVar("T")

#: Seconds within which the scheduler must answer.
CONNECT_TIMEOUT = 15.0
#: Seconds to wait for a worker, which a batch system may have to start first.
WORKER_TIMEOUT = 600.0
#: Seconds for which the number of workers is cached.
_COUNTED = 2.0
#: The most workers that a message names.
_MOST_NAMED = 5
_AGAIN = Message("earlier results are saved; run the same command to continue")
_CANNOT_CONFINE = Message("{where} cannot confine learner code: {error}")
_NOT_HELD = Message(
    "{why}; stop that worker, and run the command again. On that machine, `attncheck doctor` shows the layers"
)
_STOPPED = Message("{worker} was told to stop grading; {again}")
_NO_WORKER = Message("the cluster has had no worker for {seconds:g} s; start some: {again}")
_WORKER_STOPPED = Message("a worker of the cluster had to stop: {error}; {again}")
_CONNECTION_LOST = Message("the connection to the cluster was lost ({error}); {again}")
_CLUSTER_BROKEN = Message("the cluster at {address} has failed ({error}); {again}")

#: A worker process grades one submission at a time, however many threads it has, because time limits use clocks.
_ONE_AT_A_TIME = threading.Lock()


# -------------------------------------------------------------------------------- in a worker process


def software_versions() -> dict[str, str]:
    """The versions that must be equal on all machines, so that all submissions are graded alike."""
    libraries = {name: importlib.metadata.version(name).partition("+")[0] for name in ("torch", "numpy")}
    return {"attncheck": __version__, "python": ".".join(platform.python_version_tuple()[:2]), **libraries}


class GradingPlugin(WorkerPlugin):  # type: ignore[misc]
    """What a worker process keeps for a class: the course, and a sandbox that passed the canary attacks.

    ``name`` identifies the batch; ``here`` are the ``software_versions`` of the machine that runs it.
    """

    def __init__(self, name: str, course: Course, here: Mapping[str, str]) -> None:
        self.name = name
        self._course = course
        self._wanted = dict(here)
        self._where: str | Text = Message("a worker")
        self._grading_context: GradingContext | None = None
        self._sandbox: Sandbox | None = None
        self._refusal: AttncheckError | None = None

    async def setup(self, worker: Any) -> None:
        """Start the sandbox without blocking the worker.

        Raises what ``grade`` will raise again, because nobody sees the error of a worker that joins later.
        """
        self._where = worker.address
        await asyncio.to_thread(self.layers)

    async def teardown(self, worker: Any) -> None:
        """Stop the sandbox once it is idle, without blocking the worker."""
        threading.Thread(target=self.close, daemon=True).start()

    def layers(self) -> tuple[str, ...]:
        """The sandbox layers on this worker. Raises SandboxUnavailable or UsageError if it must not grade."""
        with _ONE_AT_A_TIME:
            return self._open().layers

    def grade(self, seed: Seed, task: GradingTask) -> TaskResult:
        """Grade ``task`` once the tasks of other threads are finished."""
        with _ONE_AT_A_TIME:
            sandbox = self._open()
            if self._grading_context is None or self._grading_context.seed != seed:
                observe = self._expecting(sandbox.observe, seed)
                self._grading_context = GradingContext(self._course, seed, observe, max_graded_code=SHARED_RESULTS)
            return grade_task(self._grading_context, sandbox, task)

    def _expecting(self, observe: Observe, seed: Seed) -> Observe:
        """``observe`` for references. With a secret seed, results are kept only while the batch runs."""
        if not seed.secret:
            return reference_observer(observe, seed)
        get, put = functools.partial(cache.get, self.name), functools.partial(cache.put, self.name)
        return memoized(observe, get, put)

    def close(self) -> None:
        """Stop the sandbox and delete what was derived from the seed. A later task starts and computes both again."""
        with _ONE_AT_A_TIME:
            if self._sandbox is not None:
                self._sandbox.close()
            self._sandbox = self._grading_context = None
        with contextlib.suppress(CacheError):
            shutil.rmtree(cache.folder() / self.name, ignore_errors=True)

    def _open(self) -> Sandbox:
        """The sandbox, started and tested on first use. If that failed, raises the same error every time."""
        if self._refusal is not None:
            raise self._refusal
        if self._sandbox is None:
            sandbox = Sandbox("require", ZygoteSettings(collapse=True, packages=self._course.packages))
            try:
                different = _different(self._wanted, software_versions())
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
            why = refusal(try_attacks(sandbox.observe), self._where)
        except SandboxUnavailable as error:
            raise SandboxUnavailable(_CANNOT_CONFINE.fill(where=self._where, error=error.message)) from error
        if why:
            raise SandboxUnavailable(_NOT_HELD.fill(why=why))


def _grade(plugin: str, seed: Seed, task: GradingTask) -> TaskResult:
    return _plugin(get_worker(), plugin).grade(seed, task)


def _layers(plugin: str, dask_worker: Any) -> tuple[str, ...]:
    return _plugin(dask_worker, plugin).layers()


def _plugin(worker: Any, name: str) -> GradingPlugin:
    plugin: GradingPlugin | None = worker.plugins.get(name)
    if plugin is None:
        raise SandboxError(_STOPPED.fill(worker=worker.address, again=_AGAIN))
    return plugin


# ---------------------------------------------------------------------------------------------- here


class DaskExecutor(Executor):
    """The workers of a cluster as an executor. If a worker dies, only its task raises ``WorkerLost``."""

    def __init__(self, client: Client, plugin: str, layers: tuple[str, ...], timeout: float = WORKER_TIMEOUT) -> None:
        self.layers = layers
        self._client = client
        self._plugin = plugin
        self._timeout = timeout
        self._counted = (0.0, 0)
        self._seen = time.monotonic()
        self._running: set[Future[Any]] = set()

    def size(self) -> int:
        """The number of worker processes, at least 1. Raises SandboxError after ``timeout`` seconds without any."""
        now = time.monotonic()
        counted, count = self._counted
        if not counted or now - counted > _COUNTED:
            with translate_errors(self._client.scheduler.address):
                count = len(self._client.nthreads())
            self._counted = now, count
        if count:
            self._seen = now
        elif now - self._seen > self._timeout:
            raise SandboxError(_NO_WORKER.fill(seconds=self._timeout, again=_AGAIN))
        return max(1, count)

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """See ``Executor``. The key of the task is random, because all users of the cluster can see it."""
        key = f"attncheck-{uuid.uuid4().hex}"
        with translate_errors(self._client.scheduler.address):
            theirs = self._client.submit(function, *args, **kwargs, key=key, pure=False)
        ours: Future[T] = asyncio.run_coroutine_threadsafe(_outcome(theirs), self._client.loop.asyncio_loop)
        self._running.add(ours)
        ours.add_done_callback(self._running.discard)
        return ours

    def grade(self, seed: Seed, task: GradingTask) -> Future[TaskResult]:
        """Send ``task`` with its files."""
        try:
            carried = replace(task, files=read_files(Path(task.path)))
        except SubmissionError as error:
            unread: Future[TaskResult] = Future()
            unread.set_result(TaskResult(task.key, error=error.message))
            return unread
        return self.submit(_grade, self._plugin, seed, carried)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See ``Executor``. The cluster keeps running, and this executor can still be used."""
        if cancel_futures:
            for future in tuple(self._running):
                future.cancel()


async def _outcome(theirs: Any) -> Any:
    """The result of a Dask task. Errors of Dask become WorkerLost, or SandboxError with what to do."""
    try:
        return await theirs
    except KilledWorker as error:
        raise WorkerLost from error
    except AttncheckError:
        raise
    except Exception as error:
        if theirs.status == "error":
            said = resources.shortage(error) or _said(error)
            raise SandboxError(_WORKER_STOPPED.fill(error=said, again=_AGAIN)) from error
        raise SandboxError(_CONNECTION_LOST.fill(error=_said(error), again=_AGAIN)) from error


@contextlib.contextmanager
def connect(address: str, plugin: str, course: Course, timeout: float = WORKER_TIMEOUT) -> Iterator[DaskExecutor]:
    """Connect to the Dask scheduler at ``address``, and register the grading plugin for ``course`` as ``plugin``.

    Waits up to ``timeout`` seconds for a worker. Raises UsageError if no scheduler answers or if software versions
    differ, and SandboxUnavailable if a worker cannot confine code.
    """
    with _quiet(), contextlib.closing(_reached(address)) as client:
        try:
            with translate_errors(address):
                _check_software(client, timeout)
                client.register_plugin(GradingPlugin(plugin, course, software_versions()))
                confined = client.run(functools.partial(_layers, plugin), on_error="ignore").values()
            first = next(iter(confined), ())
            common = tuple(layer for layer in first if all(layer in layers for layers in confined))
            yield DaskExecutor(client, plugin, common, timeout)
        finally:
            if client.status == "running":
                with contextlib.suppress(Exception):  # all results have arrived, so a failure here does not matter
                    client.unregister_worker_plugin(plugin)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Dask's log messages about connections; attncheck's own messages report them with what to do."""
    before = logging.root.manager.disable
    if not os.environ.get("ATTNCHECK_DEBUG"):
        logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextlib.contextmanager
def translate_errors(address: str) -> Iterator[None]:
    """Turn errors of Dask into a SandboxError that names the cluster and says what to do."""
    try:
        yield
    except AttncheckError:
        raise
    except Exception as error:
        raise SandboxError(_CLUSTER_BROKEN.fill(address=address, error=_said(error), again=_AGAIN)) from error


def _reached(address: str) -> Client:
    try:
        return Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False, name="attncheck")
    except Exception as error:
        said = Message(
            "No Dask scheduler answers at {address} ({error}). `dask scheduler` starts one and prints its "
            "address; see docs/cluster.md."
        )
        raise UsageError(said.fill(address=address, error=_said(error))) from error


def _check_software(client: Client, timeout: float) -> None:
    """Wait for a worker, and raise UsageError unless all workers have the software of this machine."""
    try:
        # Clusters that grow wait for something to do.
        client.submit(software_versions, pure=False).result(timeout=timeout)
    except TimeoutError:
        said = Message(
            "No worker joined the cluster within {timeout} s. Start some with `dask worker {address}`, or find "
            "out why the batch system does not start them."
        )
        raise UsageError(said.fill(timeout=f"{timeout:g}", address=client.scheduler.address)) from None
    except Exception:
        pass  # the next call reports it with the name of the worker
    here = software_versions()
    versions = client.run(software_versions, on_error="return")
    wrong = [f"{worker}: {why}" for worker, there in versions.items() if (why := _different(here, there))]
    if wrong:
        raise UsageError(_unlike(wrong))


def _different(here: Mapping[str, str], there: Mapping[str, str] | Exception) -> str:
    """How the software there differs from that of this machine, as text; empty if it does not."""
    if isinstance(there, Exception):
        return f"attncheck cannot be used there ({_said(there)})"
    differing = ((name, ours, there.get(name)) for name, ours in here.items())
    return ", ".join(f"{name} {theirs} there, {ours} here" for name, ours, theirs in differing if ours != theirs)


_UNLIKE = Message(
    "Workers must have the same software as this machine, or they could grade differently. {wrong}{more}. Install "
    "attncheck[cluster]=={version} there with the same Python, torch and NumPy, and restart them."
)


def _unlike(wrong: list[str]) -> Text:
    more = Message("; and {count} more").fill(count=len(wrong) - _MOST_NAMED) if len(wrong) > _MOST_NAMED else ""
    return _UNLIKE.fill(wrong="; ".join(wrong[:_MOST_NAMED]), more=more, version=__version__)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().removesuffix(":").replace("\n", " ")

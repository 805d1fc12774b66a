"""Run tasks on workers, on this machine or a Dask cluster, and yield the results as they arrive.

This module does not use the gradebook: tasks in, results out.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import socket
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from grader.classroom.task import BatchPlan, GradingTask, TaskResult
from grader.classroom.words import WORKER_DIED_TWICE
from grader.classroom.worker import WorkerLost, Workers, run_job, run_task, shutting_down, warm_up
from grader.classroom.worker import sandbox_layers as layers_of
from grader.core import resources
from grader.core.errors import SandboxError, SandboxKilled, SandboxUnavailable, UsageError
from grader.core.model import Course, Job, Limits, Message, Observed
from grader.grading import courses
from grader.grading.context import GradingContext
from grader.grading.inputs import Seed
from grader.sandbox.canaries import refusal, try_attacks

#: Tasks submitted ahead for each worker: enough to keep workers busy, and few enough to limit memory use.
_AHEAD = 3
#: Seconds without a result after which the number of workers is checked again.
_POLL = 10.0
#: Seconds to wait for further results before the caller may save what has arrived.
_PAUSE = 0.05
_ENDED = Message("worker processes exit as soon as they start")
_NOT_HELD = Message("{why}; nothing was graded. `attncheck doctor` shows the layers")

T = TypeVar("T")
#: A result, or None if there is none at the moment, and the keys of the tasks that are running.
Arrival: TypeAlias = tuple[TaskResult | None, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class WorkerPool:
    """Where tasks run. ``layers`` are the sandbox layers that are active there.

    ``executors`` yields an executor at first and whenever one breaks; ``size`` returns the number of workers; ``send``
    submits a task.
    """

    executors: Iterator[Executor]
    size: Callable[[], int]
    send: Callable[[Executor, GradingTask], Future[TaskResult]]
    layers: tuple[str, ...]


# ------------------------------------------------------------------------------------------------ where


@contextlib.contextmanager
def local_pool(plan: BatchPlan, workers: int | None, tasks: Sequence[GradingTask]) -> Iterator[WorkerPool]:
    """Worker processes on this machine: ``workers`` (default: one for each processor), but no more than tasks."""
    count = max(1, min(workers or resources.processors(), len(tasks)))
    executors = (executor(count) for _ in itertools.count())
    with shutting_down(next(executors)) as first:
        ready = [first.submit(warm_up, plan) for _ in range(count)]  # they import torch during the rehearsal
        questions = {name for task in tasks for name in task.questions}
        layers = rehearse(plan, questions, first, lambda: wait(ready))
        yield WorkerPool(
            itertools.chain([first], executors),
            lambda: count,
            lambda pool, task: pool.submit(run_task, plan, task),
            layers,
        )


@contextlib.contextmanager
def cluster_pool(scheduler: str, out: Path, seed: Seed, course: Course) -> Iterator[WorkerPool]:
    """The workers of the Dask cluster at ``scheduler``.

    A batch into the same folder ``out`` uses the same plugin name, so it replaces what an earlier batch left behind.
    """
    try:
        from grader.classroom import dask  # needs an extra, `distributed`
    except ModuleNotFoundError as error:
        said = Message(
            "--scheduler needs a library that is not installed here ({error}): `pip install 'attncheck[cluster]'`"
        )
        raise UsageError(said.fill(error=error.name)) from error
    batch_name = f"{socket.gethostname()}:{out.resolve()}"
    plugin = f"attncheck-{hashlib.sha256(batch_name.encode()).hexdigest()[:16]}"
    with dask.connect(scheduler, plugin, course) as cluster:
        yield WorkerPool(
            itertools.repeat(cluster), cluster.size, lambda _, task: cluster.grade(seed, task), cluster.layers
        )


def executor(count: int, *, yielding: bool = False) -> Executor:
    """The executor for this machine: ``count`` processes. With ``yielding``, they have the lowest priority."""
    return Workers(count, yielding=yielding)


def rehearse(
    plan: BatchPlan, questions: Container[str], pool: Executor, quiet: Callable[[], object]
) -> tuple[str, ...]:
    """Try the canary attacks, and run the references of ``questions`` once for all workers. Returns the layers.

    Code runs in the sandbox of a worker in ``pool``, which is needed anyway. ``quiet`` waits until no other process of
    attncheck is busy; see ``try_attacks``. Raises SandboxUnavailable if an attack succeeds.
    """

    def in_worker(function: Callable[..., T], *arguments: object) -> T:
        try:
            return result_of(pool.submit(function, plan, *arguments))
        except BrokenProcessPool as error:
            raise SandboxError(_ENDED) from error

    def observe(job: Job, limits: Limits) -> Observed:
        return in_worker(run_job, job, limits)

    loaded = courses.load(Path(plan.course_folder))  # while the workers import torch
    why = refusal(try_attacks(observe, quiet), Message("this machine"))
    if why:
        raise SandboxUnavailable(_NOT_HELD.fill(why=why))
    GradingContext(loaded, plan.seed, plan.reference_observer(observe)).prepare(questions)
    return in_worker(layers_of)


# ------------------------------------------------------------------------------------------------- when


def run_tasks(pool: WorkerPool, tasks: Sequence[GradingTask]) -> Iterator[Arrival]:
    """Run all tasks, and yield each result as it arrives, with the keys of the tasks that are running.

    After a result, the next one, or None, follows within ``_PAUSE`` seconds, so that the caller can save what it has.
    If a worker dies, its task (or, if the executor breaks, every running task) is retried, one at a time; a
    task that kills a worker twice, or whose sandbox is killed twice, gets a result with an ``error``.
    """
    left = list(reversed(tasks))
    suspects: list[GradingTask] = []
    while left or suspects:
        yield from _run_until_broken(pool, suspects or left, suspects, one_at_a_time=bool(suspects))


def _run_until_broken(
    pool: WorkerPool, source: list[GradingTask], suspects: list[GradingTask], *, one_at_a_time: bool
) -> Iterator[Arrival]:
    """Run tasks from the end of ``source`` on one executor, until all are done or the executor breaks.

    Tasks that were running when a worker died are appended to ``suspects``. With ``one_at_a_time``, the task itself
    killed the worker, and gets a result with an error.
    """
    running: dict[Future[TaskResult], GradingTask] = {}
    patience = _POLL
    broken = False
    with shutting_down(next(pool.executors)) as current:
        while (source or running) and not broken:
            room = 1 if one_at_a_time else pool.size() * _AHEAD
            try:
                while source and len(running) < room:
                    running[pool.send(current, source[-1])] = source[-1]
                    source.pop()
            except BrokenProcessPool as error:
                if not running:
                    raise SandboxError(_ENDED) from error
                broken = True  # the running tasks report it as well
            finished, _ = wait(running, patience, FIRST_COMPLETED)
            patience = _PAUSE if finished else _POLL
            if not finished:
                yield None, _keys(running)
            for future in finished:
                task = running.pop(future)
                try:
                    result = result_of(future)
                except (WorkerLost, BrokenProcessPool, SandboxKilled) as error:
                    broken = broken or isinstance(error, BrokenProcessPool)
                    if not one_at_a_time:
                        suspects.append(task)
                        continue
                    why = error.message if isinstance(error, SandboxKilled) else WORKER_DIED_TWICE
                    result = TaskResult(task.key, error=why)
                yield result, _keys(running)
    suspects += running.values()


def _keys(running: Mapping[Future[TaskResult], GradingTask]) -> tuple[str, ...]:
    return tuple(task.key for task in running.values())


def result_of(future: Future[T]) -> T:
    """The result of ``future``. Raises what it raised, but SandboxError for an OSError."""
    try:
        return future.result()
    except OSError as error:
        reason = resources.shortage(error) or error
        raise SandboxError(Message("a worker process had to stop: {error}").fill(error=reason)) from error

"""What grades one submission of a class, in a worker process of its own: a course, a sandbox, and nothing else.

A worker is told everything by its arguments and says everything by its result, so that any executor can run it:
processes on this machine, or those of a cluster.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core import resources
from grader.core.errors import AttncheckError, SubmissionError
from grader.core.model import Notice, QuestionResult
from grader.grading import courses
from grader.grading.grade import Memo, Selection, grade
from grader.grading.inputs import Seed
from grader.grading.reference_results import expecting
from grader.sandbox import Sandbox, Settings
from grader.submission import Gathered, gathered, understood

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from grader.core.model import Observe


@dataclass(frozen=True, slots=True)
class Plan:
    """What is the same for a whole class. ``private`` is a folder for what follows from a secret seed.

    ``libraries``, if given, is the digest of the libraries that all submissions are to run on; see ``Sandbox``.
    """

    course_folder: str
    seed: Seed
    private: str
    libraries: str = ""

    def expecting(self, observe: Observe) -> Observe:
        """``observe`` for references; see ``grader.grading.reference_results``."""
        return expecting(observe, self.seed, Path(self.private))


@dataclass(frozen=True, slots=True)
class Task:
    """One submission, and the questions that are still to be graded in it.

    ``digest`` is of the files that are meant: others are not graded in their place. ``files`` are what
    ``grader.submission.gathered`` found at ``path``, for workers that cannot look there.
    """

    key: str
    path: str
    draws: str
    questions: tuple[str, ...]
    files: tuple[Gathered, str] | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What was found; ``error`` says why nothing could be."""

    key: str
    results: tuple[QuestionResult, ...] = ()
    answers: tuple[tuple[str, object], ...] = ()
    notices: tuple[Notice, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    layers: tuple[str, ...] = ()
    unsafe: bool = False
    seconds: float = 0.0
    error: str | None = None


#: Between being entered and being graded.
_CHANGED = "the files were changed after the batch had begun; run the same command again"


class Lost(Exception):
    """The process that had a task in hand is gone; what others have in hand goes on."""


def prepare(plan: Plan) -> None:
    """Gets ready, and returns once it is. Raises what ``work`` will raise again."""
    _, sandbox = _desk(plan)
    sandbox.children()


def work(plan: Plan, task: Task) -> Done:
    """Grades ``task`` in this process, which keeps what the class has in common; see ``judged``."""
    return judged(*_desk(plan), task)


def judged(memo: Memo, sandbox: Sandbox, task: Task) -> Done:
    """Grades ``task``. What is not the submission's doing is raised, but for a bug of ours in just this one."""
    try:
        found, stem = task.files or gathered(Path(task.path))
        submission = understood(found, stem, task.draws, task.path)
        if task.digest and submission.digest != task.digest:
            return Done(task.key, error=_CHANGED)
        selection = Selection(questions=task.questions, everything=True)
        report = grade(memo.course, submission, sandbox.observe, selection=selection, memo=memo)
    except SubmissionError as error:
        return Done(task.key, error=str(error))
    except AttncheckError:
        raise
    except Exception as error:  # this submission waits for us, the class does not
        lacking = resources.lacks(error)
        if isinstance(error, OSError) and lacking:
            raise  # but not where none can be graded
        said = f"a fault of attncheck itself, not of the submission: {type(error).__name__}: {error}"
        return Done(task.key, error=lacking or said)
    return Done(
        task.key,
        report.questions,
        tuple((answer.item, answer.value) for answer in submission.answers or ()),
        report.notices,
        report.versions,
        report.layers,
        report.unsafe,
        report.seconds,
    )


@functools.lru_cache(maxsize=1)
def _desk(plan: Plan) -> tuple[Memo, Sandbox]:
    """Once for a process: the course is loaded while the zygote imports torch."""
    sandbox = Sandbox("require", Settings(collapse=True))
    sandbox.start()
    loaded = courses.load(Path(plan.course_folder))
    sandbox.allow(loaded.packages)
    if plan.libraries:
        sandbox.expect(plan.libraries)
    return Memo(loaded, plan.seed, plan.expecting(sandbox.observe)), sandbox


@contextlib.contextmanager
def ended(pool: Executor) -> Iterator[Executor]:
    """A pool that is over when its work is, and at once when something else ends it."""
    try:
        yield pool
    except BaseException:
        here = isinstance(pool, ProcessPoolExecutor)
        for worker in multiprocessing.active_children() if here else ():
            worker.kill()
        pool.shutdown(wait=here, cancel_futures=True)
        raise
    pool.shutdown()


class Workers(ProcessPoolExecutor):
    """Processes that end with this one and hear of no interruption, not even before they can say that they will not."""

    def __init__(self, count: int | None = None) -> None:
        super().__init__(count, mp_context=multiprocessing.get_context("spawn"), initializer=follow)

    def submit(self, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ever; where it starts a process, that one inherits what is blocked here."""
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            return super().submit(*args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(*args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow() -> None:
    """Ends this worker process with the one that started it, however that ends; it is that one which is interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

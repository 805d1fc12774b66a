"""Grade one submission of a class in a worker process.

The functions get all input as arguments and return all output as their result, so that any executor can run them, on
this machine or on a cluster.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.classroom.task import BatchPlan, GradingTask, TaskResult, encode, encode_answers, encode_notices
from grader.classroom.words import FILES_CHANGED, INTERNAL_ERROR
from grader.core import resources
from grader.core.errors import AttncheckError, SubmissionError
from grader.core.model import Job, Limits, Observed, Report, Status, Submission
from grader.course import answer_ids
from grader.grading import courses
from grader.grading.checker import CheckedSubmission, Checker
from grader.grading.context import GradingContext
from grader.grading.grade import grade
from grader.grading.selection import Selection
from grader.report.figures import kinds, run
from grader.report.figures.figure import Figure
from grader.report.figures.run import LearnerValues
from grader.sandbox import Sandbox, ZygoteSettings
from grader.submission import parse_files, read_files

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess


#: The number of submissions whose results a worker caches, for learners who submit the same files.
SHARED_RESULTS = 256
#: The lowest priority of a process.
_LOWEST = 19


class WorkerLost(Exception):
    """The worker process died while it held a task; other workers are unaffected."""


def warm_up(plan: BatchPlan) -> None:
    """Load the course and start the sandbox, and return when both are ready.

    The caller may ignore errors: ``run_task`` raises them again.
    """
    _, sandbox = _context(plan)
    sandbox.children()


def run_job(plan: BatchPlan, job: Job, limits: Limits) -> Observed:
    """Run ``job`` in the sandbox of this process."""
    return _context(plan)[1].observe(job, limits)


def sandbox_layers(plan: BatchPlan) -> tuple[str, ...]:
    """The layers of the sandbox of this process."""
    return _context(plan)[1].layers


def run_task(plan: BatchPlan, task: GradingTask) -> TaskResult:
    """Grade ``task`` with the course and sandbox of this process, which later tasks use as well; see ``grade_task``."""
    return grade_task(*_context(plan), task)


def run_check(
    plan: BatchPlan, course_folder: str, submission: Submission, exercises: tuple[str, ...]
) -> CheckedSubmission:
    """Grade exercises of a submission by the course in ``course_folder``, with its public cases only.

    Used by the pages of a class: ``course_folder`` has the learners' edition of the course of ``plan``. The code runs
    in the sandbox for ``plan``.
    """
    return _checker(plan, course_folder).check(submission, exercises)


def run_figure(
    plan: BatchPlan, course_folder: str, name: str, submission: Submission | None
) -> tuple[Figure, LearnerValues | None]:
    """The picture ``name`` of the course in ``course_folder``, with the learner's code beside it; see ``run_check``."""
    checker = _checker(plan, course_folder)
    return checker.use(functools.partial(run.compute_picture, checker.course, kinds.kinds()[name], submission))


def grade_task(context: GradingContext, sandbox: Sandbox, task: GradingTask) -> TaskResult:
    """Grade ``task``.

    If a submission cannot be read, or causes an internal error, the result has an ``error``. Errors that would affect
    all other submissions as well are raised.
    """
    try:
        return _graded(context, sandbox, task)
    except SubmissionError as error:
        return TaskResult(task.key, error=error.message)
    except AttncheckError:
        raise
    except Exception as error:  # an internal error affects this submission only
        lacking = resources.shortage(error)
        if isinstance(error, OSError) and lacking:
            raise  # the machine lacks a resource that all submissions need
        bug = INTERNAL_ERROR.fill(error=f"{type(error).__name__}: {error}")
        return TaskResult(task.key, error=lacking or bug)


def _graded(context: GradingContext, sandbox: Sandbox, task: GradingTask) -> TaskResult:
    submission = parse_files(task.files or read_files(Path(task.path)), task.seed_name, task.path)
    if task.digest and submission.digest != task.digest:
        return TaskResult(task.key, error=FILES_CHANGED)
    submission = answer_ids.matched(context.course, submission)
    selection = Selection(questions=task.questions, everything=True)
    report = grade(context.course, submission, sandbox.observe_unverified, selection=selection, context=context)
    if not _all_code_passed(report):
        sandbox.verify()
    return TaskResult(
        task.key,
        tuple(map(encode, report.questions)),
        encode_answers({answer.item: answer.value for answer in submission.answers or ()}),
        encode_notices(report.notices),
        report.versions,
        report.layers,
        report.unsafe,
        report.seconds,
    )


def _all_code_passed(report: Report) -> bool:
    """Whether no result of code could have been caused by a changed library.

    Code that was not submitted is not run. Remarks, and notices about imports, may be caused by a library as well.
    """
    ran = [exercise for question in report.questions for exercise in question.exercises if exercise.file is not None]
    return not report.notices and all(exercise.status is Status.PASSED and not exercise.remarks for exercise in ran)


@functools.lru_cache(maxsize=1)
def _context(plan: BatchPlan) -> tuple[GradingContext, Sandbox]:
    """The course and the sandbox of this process. The course is loaded while the zygote imports torch."""
    sandbox = Sandbox("require", ZygoteSettings(collapse=True))
    sandbox.start()
    loaded = courses.load(Path(plan.course_folder))
    sandbox.allow_packages(loaded.packages)
    if plan.libraries:
        sandbox.expect_libraries(plan.libraries)
    observe = plan.reference_observer(sandbox.observe)
    return GradingContext(loaded, plan.seed, observe, max_graded_code=SHARED_RESULTS), sandbox


@functools.lru_cache(maxsize=1)
def _checker(plan: BatchPlan, course_folder: str) -> Checker:
    """The checker of this process."""
    return Checker(courses.load(Path(course_folder)), _context(plan)[1])


@contextlib.contextmanager
def shutting_down(pool: Executor) -> Iterator[Executor]:
    """Shut the pool down when its work is done; on any error, kill its processes."""
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
    """Worker processes that exit with their parent and ignore SIGINT from the moment they start.

    With ``yielding``, they and the code that they run have the lowest priority.
    """

    def __init__(self, count: int | None = None, *, yielding: bool = False) -> None:
        context = multiprocessing.get_context("spawn")
        super().__init__(count, mp_context=context, initializer=_begin, initargs=(yielding,))

    def submit(self, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See ``Executor``. SIGINT is blocked meanwhile, and processes that are started here inherit this."""
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            return super().submit(*args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(*args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(yielding: bool) -> None:
    exit_with_parent()
    resources.collect_rarely()
    if yielding and hasattr(os, "nice"):
        os.nice(_LOWEST)


def exit_with_parent() -> None:
    """Make this worker process ignore SIGINT, and exit when its parent exits, however that happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

"""Grades a class while it works: what arrives in the inbox is graded by workers that stay, and saved as it comes in.

The inbox and the gradebook are all there is to lose. A submission is complete in the inbox before its receipt is shown;
at the start, everything in the inbox that the gradebook has no results for is graded, as `attncheck batch` would. So
whenever the process is killed, nothing is lost, and nothing is graded twice.

Each worker is a process of its own, so a submission that kills one costs nobody else anything. One thread for each
worker waits for it; one more, the *clerk*, is the only one that writes to the gradebook.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from filelock import FileLock, Timeout

from grader import __version__
from grader.classroom import inbox, schedule
from grader.classroom.batch import BatchRequest, save_class, select_questions
from grader.classroom.class_folder import EDITION, INBOX, SERVING
from grader.classroom.collect import ALONE, CollectedSubmission, Collection, collect
from grader.classroom.edition import publish
from grader.classroom.enrolment import enrol, in_roster, submission_row
from grader.classroom.fair_queue import FairQueue, QueuedJob
from grader.classroom.gradebook import INTAKE, Gradebook, SubmissionRow, open_gradebook
from grader.classroom.inbox import Receipt
from grader.classroom.intake import FoundSubmission, Person
from grader.classroom.lock import locked, make_folder
from grader.classroom.marks import Mark
from grader.classroom.recorder import Recorder, tasks_left
from grader.classroom.results import Book
from grader.classroom.roster import Learner, Roster
from grader.classroom.task import BatchPlan, GradingTask, TaskResult
from grader.classroom.words import INTERNAL_ERROR, WORKER_DIED_TWICE
from grader.classroom.worker import WorkerLost, run_check, run_figure, run_job, run_task, warm_up
from grader.core.errors import AttncheckError, SandboxError, SandboxKilled, UsageError
from grader.core.model import Course, Limits, Observed, Submission, Text
from grader.core.model import Job as CodeJob
from grader.course import loader
from grader.grading import courses
from grader.grading.checker import Checked
from grader.grading.inputs import Seed
from grader.report.figures.figure import Figure
from grader.report.figures.run import LearnerDrawing
from grader.sandbox import libraries

T = TypeVar("T")
State: TypeAlias = Literal["waiting", "running", "graded", "refused"]

#: Seconds between two tries to lock the gradebook while another command uses it, and between two looks for work.
_AGAIN = 0.5
#: Seconds for which the end waits for what is being saved.
_LAST = 10.0
#: Seconds between two rounds of killing workers.
_ROUND = 0.05

_BUSY = Text(
    "Your last check is still running. Its report appears when it is finished.",
    "你上一次检查还没有结束，结束后就会显示报告。",
)
_FAILED = Text(
    "Something went wrong here, which is not your fault; your instructor has been told.",
    "系统出了问题，与你无关；已通知老师。",
)
_STOPPED = Text(
    "Code cannot be graded at the moment. What you submitted is safe and will be graded later.",
    "目前无法给代码评分。已提交的内容都在，稍后会评分。",
)
_SERVED = Text(
    "Another `attncheck serve` looks after {folder}; end it first.",
    "另一个 `attncheck serve` 正在管理 {folder}；请先结束它。",
)


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """The class in ``folder``: what is graded, by which course and seed, for whom, on how many ``workers``.

    There is one more worker, for people whose code takes long.
    """

    folder: Path
    course_folder: Path
    roster: Roster
    seed: Seed
    questions: tuple[str, ...] = ()
    workers: int = 2


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that a learner submitted. ``mark`` is what it is worth, as far as it is graded."""

    name: str
    receipt: Receipt
    state: State
    mark: Mark | None = None


@dataclass(slots=True)
class _Check:
    """A call in a worker, for whose result somebody waits."""

    function: Callable[..., Any]
    arguments: tuple[object, ...]
    result: Future[Any] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class _Graded:
    """What a worker found for a person."""

    result: TaskResult
    person: str


@dataclass(frozen=True, slots=True)
class _Attempted:
    """What was submitted."""

    row: SubmissionRow


class Service:
    """The workers and the gradebook of a class. Used in a ``with`` statement, which waits until everything is ready.

    ``report`` is told what the instructor should know.
    """

    def __init__(self, plan: ServicePlan, report: Callable[[Text], None] = lambda text: None) -> None:
        self.plan = plan
        self.course: Course = loader.full_course(courses.load(plan.course_folder))
        self.counting = select_questions(self.course, plan.questions)
        self.inbox = plan.folder / INBOX
        self.halted: Text | None = None
        self.report = report
        self._queue = FairQueue(plan.workers)
        self._changed = threading.Condition()
        self._payloads: dict[str, GradingTask | _Check] = {}
        self._ending = False
        self._mail: queue.SimpleQueue[_Graded | _Attempted | None] = queue.SimpleQueue()
        self._rows: dict[str, SubmissionRow] = {}
        self._versions: Mapping[str, str] = {}
        self._at_home: dict[str, threading.Lock] = {}
        self._begun, self._news = secrets.token_hex(4), Counter[str]()
        self._closing = contextlib.ExitStack()
        private = str((plan.folder / ".expected").resolve())
        self._batch_plan = BatchPlan(
            str(plan.course_folder), plan.seed, private, libraries.digest(self.course.packages)
        )
        self.edition = self.course

    # ------------------------------------------------------------------------------------- beginning and end

    def __enter__(self) -> Service:
        """Everything is ready: the sandbox holds, references have run, what was submitted before is queued.

        Raises SandboxUnavailable if code cannot be confined, and UsageError if the folder is in use.
        """
        with self._closing:
            make_folder(self.plan.folder)
            self._closing.enter_context(self._alone())
            if not (self.inbox / inbox.KEY).exists():
                inbox.create_inbox(self.inbox)
            executors = [self._executor(at) for at in range(self.plan.workers + 1)]
            helpers: list[threading.Thread] = []
            # At the end, from the last to the first: nothing new begins, the workers are killed, the threads that
            # waited for them end, the clerk saves what had arrived by then.
            clerk = threading.Thread(target=self._keep_books, name="clerk", daemon=True)
            self._closing.callback(_join, [clerk])
            self._closing.callback(self._mail.put, None)
            self._closing.callback(_join, helpers)
            self._closing.callback(_kill, executors)
            self._closing.callback(self.stop)
            self._prepare(executors)
            self._catch_up()
            clerk.start()
            for at in range(len(executors)):
                helper = threading.Thread(target=self._work, args=(executors, at), name=f"worker {at}", daemon=True)
                helper.start()
                helpers.append(helper)
            self._closing = self._closing.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop. What is not finished is graded after the next start."""
        self._closing.close()

    def stop(self) -> None:
        """Begin nothing new, and tell everybody who waits for a check. The ``with`` statement ends the rest."""
        with self._changed:
            self._ending = True
            for each in self._payloads.values():
                if isinstance(each, _Check) and not each.result.done():
                    each.result.set_exception(UsageError(_STOPPED))
            self._changed.notify_all()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        lock = FileLock(self.plan.folder / SERVING, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(_SERVED.fill(folder=self.plan.folder)) from None
        try:
            yield
        finally:
            lock.release()

    def _prepare(self, executors: list[Executor]) -> None:
        """Start the sandboxes, try a few attacks, run the references, and write the edition for learners."""
        first, plan = executors[0], self._batch_plan
        ready = [each.submit(warm_up, plan) for each in executors]
        names = {question.id for question in self.counting}
        schedule.rehearse(plan, names, first, lambda: wait(ready))

        def observe(job: CodeJob, limits: Limits) -> Observed:
            return schedule.result_of(first.submit(run_job, plan, job, limits))

        self.edition = _edition(self.course, self.plan.folder / EDITION, tuple(sorted(names)), observe)

    def _catch_up(self) -> None:
        """File everything in the inbox, as a batch does, and queue what is not graded."""
        folder, roster = self.plan.folder, self.plan.roster
        request = BatchRequest(
            self.inbox, folder, self.plan.course_folder, self.plan.seed, self.plan.questions, intake="inbox"
        )
        with locked(folder, _LAST), contextlib.closing(open_gradebook(folder, create=True)) as book:
            found = Collection("inbox", (), ())
            if any(each.is_dir() and not each.name.startswith(".") for each in self.inbox.iterdir()):
                found = collect(self.inbox, folder / INTAKE, "inbox", partial(in_roster, roster))
            enrolment = enrol(found, roster, book.submissions())
            self._versions = save_class(book, request, enrolment, self.course, self.counting)
            book.copy_to_identical()
            self._queue_up(tasks_left(book, self._versions))

    # ------------------------------------------------------------------------------------------- for the pages

    def submit(self, learner: Learner, path: Path, now: datetime) -> tuple[Receipt, bool]:
        """Submit the files at ``path``. Returns the receipt and whether it is new.

        Raises SubmissionError if there is nothing that can be graded.
        """
        with self._changed:
            home = self._at_home.setdefault(learner.id, threading.Lock())
        with home:
            receipt, new = inbox.submit(path, self.inbox, learner.id, now)
            if new:
                self._mail.put(_Attempted(self.row_of(receipt)))
                with self._changed:
                    self._news[learner.id] += 1
        return receipt, new

    def row_of(self, receipt: Receipt) -> SubmissionRow:
        """The row of a submission that was just submitted, as the next batch would make it."""
        home = self.inbox / inbox.folder_name(receipt.learner)
        name = inbox.attempt_name(receipt)
        folder = f"{home.name}/{name}"
        files = tuple((f"{folder}/files/{file.name}", file.name) for file in receipt.files)
        digests = tuple((f"{folder}/files/{file.name}", file.sha256) for file in receipt.files)
        person = Person(receipt.learner, (("learner", receipt.learner),))
        number = sum(
            inbox.receipt_order(other) <= inbox.receipt_order(receipt) for _, other in inbox.read_receipts(home)
        )
        submission = FoundSubmission(f"inbox-{folder}", (person,), files, receipt.at, attempt=number, digests=digests)
        place = home / name / "files"
        if len(receipt.files) == 1 and receipt.files[0].name.lower().endswith(ALONE):
            place /= receipt.files[0].name
        collected = CollectedSubmission(submission, place)
        return submission_row(collected, (receipt.learner,), self.plan.roster, {})[0]

    def check(self, learner: str, submission: Submission, exercises: tuple[str, ...]) -> Checked:
        """Grade exercises with public cases only, and wait for the result.

        Raises UsageError if the learner waits for a check or a picture already.
        """
        return self._answer(learner, run_check, submission, exercises)

    def figure(self, learner: str, picture: str, submission: Submission | None) -> tuple[Figure, LearnerDrawing | None]:
        """A picture of the course, with the code of ``submission`` beside it; see ``check``."""
        return self._answer(learner, run_figure, picture, submission)

    def _answer(self, learner: str, function: Callable[..., T], *arguments: object) -> T:
        """What a worker returns for somebody who waits."""
        key = f"check {learner}"
        task = _Check(function, (self._batch_plan, str(self.plan.folder / EDITION), *arguments))
        with self._changed:
            if self.halted is not None or self._ending:
                raise UsageError(_STOPPED)
            if key in self._payloads:
                raise UsageError(_BUSY)
            self._payloads[key] = task
            self._queue.put(QueuedJob(learner, "check", key))
            self._changed.notify_all()
        found: T = task.result.result()
        return found

    def news(self, learner: Learner) -> str:
        """Something else each time that an attempt of the learner changes. Costs nothing, unlike ``attempts``."""
        with self._changed:
            return f"{self._begun}{self._news[learner.id]}"

    def attempts(self, learner: Learner) -> tuple[Attempt, ...]:
        """What a learner submitted, the newest first."""
        home = self.inbox / inbox.folder_name(learner.id)
        with contextlib.closing(open_gradebook(self.plan.folder, read_only=True)) as gradebook:
            marks = self.book(gradebook).marks_of(gradebook.learner(learner.id))
        by_key = {mark.work.row.key: mark for mark in marks if mark.work is not None}
        found = []
        for name, receipt in sorted(
            inbox.read_receipts(home), key=lambda each: inbox.receipt_order(each[1]), reverse=True
        ):
            mark = by_key.get(f"inbox-{home.name}/{name}")
            found.append(Attempt(name, receipt, self._state(mark), mark))
        return tuple(found)

    def book(self, gradebook: Gradebook) -> Book:
        """The gradebook with the course, as learners' results are made from it."""
        return Book.of(gradebook, self.course)

    def _state(self, mark: Mark | None) -> State:
        if mark is None or mark.work is None:
            return "waiting"
        row = mark.work.row
        if row.error is not None:
            return "refused"
        if len(mark.work.results) == len(mark.questions):
            return "graded"
        with self._changed:
            return "running" if any(job.key == _key(row) for job in self._queue.running) else "waiting"

    # ------------------------------------------------------------------------------------------- workers

    def _queue_up(self, tasks: Iterator[tuple[SubmissionRow, GradingTask]]) -> None:
        with self._changed:
            for row, task in tasks:
                key = _key(row)
                self._rows[row.key] = row
                self._payloads.setdefault(key, task)
                self._queue.put(QueuedJob(row.learners[0] if row.learners else row.key, "grading", key, row.attempt))
            self._changed.notify_all()

    def _executor(self, at: int) -> Executor:
        """A worker. The last one is the spare one, which runs only what takes long, and leaves others the machine."""
        return schedule.executor(1, yielding=at == self.plan.workers)

    def _work(self, executors: list[Executor], at: int) -> None:
        """What the thread of one worker does until the end."""
        take = self._queue.take if at < self.plan.workers else self._queue.take_heavy
        while (job := self._next(take)) is not None:
            task, began = self._payloads[job.key], time.monotonic()
            try:
                if isinstance(task, _Check):
                    self._check(executors, at, task)
                else:
                    result = self._grade(executors, at, task)
                    if result is not None:
                        self._mail.put(_Graded(result, job.person))
            except BaseException as error:  # what stops this would stop all others as well
                self._halt(error)
            with self._changed:
                if self.halted is None or isinstance(task, _Check):
                    del self._payloads[job.key]
                now = time.monotonic()
                self._queue.done(job, now - began, now)
                self._changed.notify_all()

    def _next(self, take: Callable[[float], QueuedJob | None]) -> QueuedJob | None:
        with self._changed:
            while not self._ending and self.halted is None:
                job = take(time.monotonic())
                if job is not None:
                    self._news[job.person] += 1
                    return job
                self._changed.wait(_AGAIN)
            return None

    def _grade(self, executors: list[Executor], at: int, task: GradingTask) -> TaskResult | None:
        """The result; None if the worker was killed because everything ends."""
        try:
            return self._run(executors, at, run_task, self._batch_plan, task)
        except (WorkerLost, BrokenProcessPool):
            return None if self._ending else TaskResult(task.key, error=WORKER_DIED_TWICE)
        except SandboxKilled as error:
            return None if self._ending else TaskResult(task.key, error=error.message)

    def _check(self, executors: list[Executor], at: int, task: _Check) -> None:
        """Give somebody who waits what a worker returns, or why it cannot be had: that stops nobody else."""
        try:
            found = self._run(executors, at, task.function, *task.arguments)
        except (WorkerLost, BrokenProcessPool):
            error: Exception = SandboxError(WORKER_DIED_TWICE)
        except AttncheckError as said:
            error = said
        except Exception as bug:
            self.report(INTERNAL_ERROR.fill(error=f"{type(bug).__name__}: {bug}"))
            error = UsageError(_FAILED)
        else:
            if not task.result.done():
                task.result.set_result(found)
            return
        if not task.result.done():
            task.result.set_exception(error)

    def _run(self, executors: list[Executor], at: int, function: Callable[..., T], *arguments: object) -> T:
        """The result of a call in a worker; one that dies is replaced, and the call made once more."""
        try:
            return schedule.result_of(executors[at].submit(function, *arguments))
        except (WorkerLost, BrokenProcessPool, SandboxKilled) as error:
            with self._changed:
                if self._ending:
                    raise
                if isinstance(error, BrokenProcessPool):
                    executors[at] = self._executor(at)
        return schedule.result_of(executors[at].submit(function, *arguments))

    def _halt(self, error: BaseException) -> None:
        """Stop grading: an error of ours or of this machine, for which no submission is to blame."""
        if self._ending:
            return
        said = error.message if isinstance(error, AttncheckError) else Text(*(f"{type(error).__name__}: {error}",) * 2)
        with self._changed:
            self.halted = said
            for each in self._payloads.values():
                if isinstance(each, _Check) and not each.result.done():
                    each.result.set_exception(UsageError(_STOPPED))
            self._changed.notify_all()
        self.report(said)

    # ------------------------------------------------------------------------------------------- the clerk

    def _keep_books(self) -> None:
        """Save what arrives until the end."""
        try:
            with contextlib.closing(open_gradebook(self.plan.folder)) as book:
                while (mail := self._collected()) is not None:
                    with self._gradebook_lock():
                        self._save(book, mail)
        except BaseException as error:
            self._halt(error)

    def _collected(self) -> list[_Graded | _Attempted] | None:
        """Everything that has arrived; waits for something. None at the end."""
        found: list[_Graded | _Attempted] = []
        with contextlib.suppress(queue.Empty):
            while True:
                one = self._mail.get(block=not found)
                if one is None:
                    if found:
                        self._mail.put(None)
                        break
                    return None
                found.append(one)
        return found

    @contextlib.contextmanager
    def _gradebook_lock(self) -> Iterator[None]:
        """The lock on the gradebook; waits for as long as another command holds it."""
        while True:
            with contextlib.ExitStack() as held:
                try:
                    held.enter_context(locked(self.plan.folder, _AGAIN))
                except UsageError:
                    if self._ending:
                        raise
                    continue
                yield
                return

    def _save(self, book: Gradebook, mail: list[_Graded | _Attempted]) -> None:
        new = [each.row for each in mail if isinstance(each, _Attempted)]
        if new:
            book.add_submissions(new)
            self._rows |= {row.key: row for row in new}
        with Recorder(book, self._rows, self._versions, self.course, self.plan.seed) as recorder:
            for each in mail:
                if isinstance(each, _Graded):
                    recorder.save(each.result)
        book.copy_to_identical()
        with self._changed:
            self._news.update(each.person for each in mail if isinstance(each, _Graded))
        self._queue_up(tasks_left(book, self._versions, new))


def _kill(executors: list[Executor]) -> None:
    """End the workers, whatever they do, and return when they are gone.

    What they have not returned is graded after the next start. ``executors`` is emptied: the semaphores of an executor
    are released when nothing refers to it any more.
    """
    ending = [threading.Thread(target=each.shutdown, kwargs={"cancel_futures": True}) for each in executors]
    for each in ending:
        each.start()
    while any(each.is_alive() for each in ending):  # a process may be starting: the next round kills it
        for process in multiprocessing.active_children():
            process.kill()
        for each in ending:
            each.join(_ROUND / len(ending))
    executors.clear()


def _join(threads: list[threading.Thread]) -> None:
    """Wait for the threads that have been started."""
    for each in threads:
        if each.ident is not None:
            each.join(_LAST)


def _key(row: SubmissionRow) -> str:
    """What is graded once: the files, and the name that numbers are drawn for."""
    return f"{row.digest} {row.seed_name}"


def _edition(whole: Course, folder: Path, questions: tuple[str, ...], observe: Any) -> Course:
    """The learners' edition of the course, written anew unless the one in ``folder`` is current."""
    with contextlib.suppress(AttncheckError):
        found = courses.load(folder)
        names = tuple(sorted(question.id for question in found.questions))
        mark = found.edition
        if mark is not None and (mark.of, mark.attncheck, names) == (whole.digest, __version__, questions):
            return found
    publish(whole, folder, questions, observe)
    return courses.load(folder)

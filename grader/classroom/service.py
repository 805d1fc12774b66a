"""Grade the submissions of a class server as they arrive, on long-lived workers, and save each result.

All state is in the inbox and the gradebook. A submission is complete in the inbox before its receipt is shown; at the
start, everything in the inbox without results in the gradebook is graded, as `attncheck batch` would. So if the process
is killed, nothing is lost, and nothing is graded twice.

Each worker is a process of its own, so a submission that kills one affects nobody else. One thread waits for each
worker; one more, the *writer*, is the only one that writes to the gradebook.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import secrets
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from filelock import FileLock, Timeout

from grader import __version__
from grader.authoring.edition import keyed_digest, publish
from grader.classroom import inbox, schedule
from grader.classroom.batch import BatchRequest, plan_class, select_questions
from grader.classroom.class_folder import EDITION, INBOX, SERVING, locked, make_folder
from grader.classroom.collect import ALONE, CollectedSubmission, Collection, collect
from grader.classroom.enrolment import enrol, submission_row
from grader.classroom.fair_queue import FairQueue, QueuedJob
from grader.classroom.gradebook import INTAKE, Gradebook, SubmissionRow, open_gradebook
from grader.classroom.inbox import Receipt
from grader.classroom.intake.inbox import attempt_of
from grader.classroom.marks import Mark
from grader.classroom.recorder import GradingPlan, Recorder, tasks_left
from grader.classroom.results import Book
from grader.classroom.roster import Learner, Roster
from grader.classroom.task import BatchPlan, GradingTask, TaskResult
from grader.classroom.words import INTERNAL_ERROR, WORKER_DIED_TWICE
from grader.classroom.worker import WorkerLost, run_check, run_figure, run_job, run_task, warm_up
from grader.core.errors import AttncheckError, SandboxError, SandboxKilled, UsageError
from grader.core.files import portable_folder
from grader.core.model import Course, Job, Limits, Message, Observed, Submission, Text
from grader.core.readers import Readers
from grader.core.text import same
from grader.course import loader
from grader.grading import courses
from grader.grading.checker import CheckedSubmission
from grader.grading.inputs import Seed
from grader.report.figures.figure import Figure
from grader.report.figures.run import LearnerValues
from grader.sandbox import policy

T = TypeVar("T")
State: TypeAlias = Literal["waiting", "running", "graded", "refused"]

#: Seconds between attempts to lock the gradebook while another command uses it, and between checks for work.
_AGAIN = 0.5
#: Seconds that shutdown waits for a thread.
_LAST = 10.0
#: Seconds between two looks at the inbox; at least this many times as long as the last look took.
_WATCH, _REST = 2.0, 20.0
#: The most processes that read what learners send, besides the slow one and one that is kept free.
_MOST_READERS = 8
#: What these processes import when they start.
_READING = ("grader.submission.archive", "grader.submission.notebook")
#: Seconds between rounds of killing workers.
_ROUND = 0.05

_FAILED = Message("Something went wrong on the server. It is not your fault, and your instructor has been told.")
_STOPPED = Message("Code cannot be graded at the moment. What you submitted is safe and will be graded later.")
_SERVED = Message("Another `attncheck serve` is using {folder}; stop it first.")


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """The class in ``folder``: questions, course, seed and roster, and the number of ``workers``.

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
    """A submission of a learner. ``name`` is that of its folder; ``mark`` includes what is graded so far."""

    name: str
    receipt: Receipt
    state: State
    mark: Mark | None = None


@dataclass(slots=True)
class _Check:
    """A call in a worker whose result someone is waiting for."""

    function: Callable[..., Any]
    arguments: tuple[object, ...]
    result: Future[Any] = field(default_factory=Future)

    def fail(self, error: Exception) -> None:
        """Raise ``error`` for the person who waits, unless there is a result."""
        if not self.result.done():
            self.result.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Graded:
    """The result of a grading, and the person who submitted it."""

    result: TaskResult
    person: str


#: What the writer has to save: a row is that of a new submission; others are in the inbox, too, if something "arrived".
_Entry: TypeAlias = _Graded | SubmissionRow | Literal["arrived"]


class Service:
    """The workers and the gradebook of a class. Use it in a ``with`` statement, which starts and stops the workers.

    ``report`` is called with messages for the instructor.
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
        self._to_save: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._versions: Mapping[str, str] = {}
        #: The submissions in the gradebook, by key, for the writer; and the keys of those known to be in the inbox.
        self._rows: dict[str, SubmissionRow] = {}
        self._stored: set[str] = set()
        self._submit_locks: dict[str, threading.RLock] = {}
        self._start_token, self._revisions = secrets.token_hex(4), Counter[str]()
        self._closing = contextlib.ExitStack()
        private = str((plan.folder / ".expected").resolve())
        libraries = policy.libraries_digest(self.course.packages)
        self._batch_plan = BatchPlan(str(plan.course_folder), plan.seed, private, libraries)
        self.edition = self.course
        readers = 1 + min(plan.workers, _MOST_READERS)
        self.readers = Readers(readers, self.course.pace.reading_seconds_per_hour, _READING)

    # ------------------------------------------------------------------------------------- beginning and end

    def __enter__(self) -> Service:
        """Start: test the sandbox, run the references, and queue earlier submissions that are not graded.

        Raises SandboxUnavailable if code cannot be confined, and UsageError if the folder is in use.
        """
        with self._closing:
            make_folder(self.plan.folder)
            try:
                self._closing.enter_context(FileLock(self.plan.folder / SERVING, timeout=0))
            except Timeout:
                raise UsageError(_SERVED.fill(folder=self.plan.folder)) from None
            self._closing.callback(self.readers.close)
            self.readers.start()
            if not (self.inbox / inbox.KEY).exists():
                inbox.create_inbox(self.inbox)
            for interrupted in inbox.abandoned(self.inbox):
                shutil.rmtree(interrupted, ignore_errors=True)
            executors = [self._executor(index) for index in range(self.plan.workers + 1)]
            helpers: list[threading.Thread] = []
            # Called in reverse order at the end: nothing new starts, the workers are killed, the threads that waited
            # for them end, and the writer saves what has arrived by then.
            writer = _thread(self._write_gradebook, "writer")
            self._closing.callback(_join, [writer])
            self._closing.callback(self._to_save.put, None)
            self._closing.callback(_join, helpers)
            self._closing.callback(_kill, executors)
            self._closing.callback(self.stop)
            self._prepare(executors)
            watch = inbox.Watch(self.inbox)
            watch.changed(time.time())  # what is there by now is collected by the next line
            self._queue_earlier()
            writer.start()
            helpers.append(_thread(self._watch_inbox, "watcher", watch))
            helpers += [_thread(self._work, f"worker {index}", executors, index) for index in range(len(executors))]
            for helper in helpers:
                helper.start()
            self._closing = self._closing.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop. Unfinished work is graded after the next start."""
        self._closing.close()

    def stop(self) -> None:
        """Start nothing new, and notify everyone who waits for a check. The ``with`` statement stops the rest."""
        with self._changed:
            self._ending = True
            self._end_checks()

    def _end_checks(self) -> None:
        """Tell everybody who waits for a check that code cannot be graded. The caller holds ``_changed``."""
        for payload in self._payloads.values():
            if isinstance(payload, _Check):
                payload.fail(UsageError(_STOPPED))
        self._changed.notify_all()

    def _prepare(self, executors: list[Executor]) -> None:
        """Start the sandboxes, try a few attacks, run the references, and write the edition for learners."""
        first, plan = executors[0], self._batch_plan
        ready = [executor.submit(warm_up, plan) for executor in executors]
        names = {question.id for question in self.counting}
        schedule.rehearse(plan, names, first, lambda: wait(ready))

        def observe(job: Job, limits: Limits) -> Observed:
            return schedule.result_of(first.submit(run_job, plan, job, limits))

        self.edition = _edition(self.course, self.plan.folder / EDITION, tuple(sorted(names)), observe)

    def _queue_earlier(self) -> None:
        """Save everything in the inbox, as a batch does, and queue what is not graded."""
        folder = self.plan.folder
        with locked(folder, _LAST), contextlib.closing(open_gradebook(folder, create=True)) as book:
            rows = self._collect(book)
            self._rows = {row.key: row for row in rows}
            self._stored = set(self._rows)
            book.copy_to_identical()
            self._enqueue(tasks_left(book, self._versions))

    def _collect(self, book: Gradebook) -> tuple[SubmissionRow, ...]:
        """Save everything in the inbox, and return its rows."""
        plan, folder, roster = self.plan, self.plan.folder, self.plan.roster
        request = BatchRequest(self.inbox, folder, plan.course_folder, plan.seed, plan.questions, intake="inbox")
        collection = Collection("inbox", (), ())
        if any(place.is_dir() and not place.name.startswith(".") for place in self.inbox.iterdir()):
            collection = collect(self.inbox, folder / INTAKE, "inbox", roster)
        enrolment = enrol(collection, roster, book.submissions())
        self._versions = plan_class(book, request, enrolment, self.course, self.counting).versions
        return tuple(enrolment.submissions)

    def _watch_inbox(self, watch: inbox.Watch) -> None:
        """The main loop of the watcher: notify the writer of submissions that did not come through this server."""
        while not self._pause(max(_WATCH, _REST * watch.seconds)):
            with contextlib.suppress(OSError):
                came = watch.changed(time.time())
                with self._changed:
                    unknown = any(f"inbox-{name}" not in self._stored for name in came)
                if unknown:
                    self._to_save.put("arrived")

    def _pause(self, seconds: float) -> bool:
        """Wait until the end, at most ``seconds``. Returns whether this is the end."""
        with self._changed:
            return self._changed.wait_for(lambda: self._ending, seconds)

    # ------------------------------------------------------------------------------------------- for the pages

    def submitting(self, learner: Learner) -> threading.RLock:
        """A lock to hold while something is submitted for a learner, one thing at a time."""
        with self._changed:
            return self._submit_locks.setdefault(learner.id, threading.RLock())

    def submit(self, learner: Learner, path: Path, now: datetime) -> tuple[Receipt, bool]:
        """Submit the files at ``path``. Returns the receipt and whether it is new.

        Raises SubmissionError if nothing can be graded, UsageError above the limits of the course.
        """
        with self.submitting(learner):
            most = self.course.pace.megabytes_per_day << 20
            receipt, new = inbox.submit(path, self.inbox, learner.id, now, self.course, most)
            if new:
                row = self.row_of(receipt)
                self._to_save.put(row)
                with self._changed:
                    self._stored.add(row.key)
                    self._revisions[learner.id] += 1
        return receipt, new

    def row_of(self, receipt: Receipt) -> SubmissionRow:
        """The row of a new submission, equal to the one that a batch would create."""
        home = self.inbox / portable_folder(receipt.learner)
        folder = f"{home.name}/{inbox.attempt_name(receipt)}"
        files = tuple((f"{folder}/files/{file.name}", file.name) for file in receipt.files)
        earlier = [other for _, other in inbox.read_receipts(home)]
        number = sum(inbox.receipt_order(other) <= inbox.receipt_order(receipt) for other in earlier)
        submission = attempt_of(folder, receipt, files, number)
        place = self.inbox / folder / "files"
        if len(receipt.files) == 1 and receipt.files[0].name.lower().endswith(ALONE):
            place /= receipt.files[0].name
        return submission_row(CollectedSubmission(submission, place), (receipt.learner,), self.plan.roster, {})

    def check(self, learner: str, submission: Submission, exercises: tuple[str, ...]) -> CheckedSubmission:
        """Grade exercises with public cases only, and wait for the result.

        Raises UsageError if the learner is already waiting for a check or picture.
        """
        return self._answer(learner, run_check, submission, exercises)

    def figure(self, learner: str, picture: str, submission: Submission | None) -> tuple[Figure, LearnerValues | None]:
        """A picture of the course, with the code of ``submission`` beside it; see ``check``."""
        return self._answer(learner, run_figure, picture, submission)

    def _answer(self, learner: str, function: Callable[..., T], *arguments: object) -> T:
        """Run a call in a worker, and wait for its result."""
        key = f"check {learner}"
        task = _Check(function, (self._batch_plan, str(self.plan.folder / EDITION), *arguments))
        with self._changed:
            if self.halted is not None or self._ending:
                raise UsageError(_STOPPED)
            if key in self._payloads:
                raise UsageError(Message("Your last check is still running. Its report appears when it is finished."))
            self._payloads[key] = task
            self._queue.put(QueuedJob(learner, "check", key))
            self._changed.notify_all()
        value: T = task.result.result()
        return value

    def revision(self, learner: Learner) -> str:
        """A token that changes whenever an attempt of the learner changes. Cheap, unlike ``attempts``."""
        with self._changed:
            return f"{self._start_token}{self._revisions[learner.id]}"

    def attempts(self, learner: Learner) -> tuple[Attempt, ...]:
        """The submissions of a learner, the latest first."""
        home = self.inbox / portable_folder(learner.id)
        with contextlib.closing(open_gradebook(self.plan.folder, read_only=True)) as gradebook:
            marks = Book.of(gradebook, self.course).marks_of(gradebook.learner(learner.id))
        by_key = {mark.work.row.key: mark for mark in marks if mark.work is not None}
        attempts = []
        for name, receipt in inbox.read_receipts(home):
            mark = by_key.get(f"inbox-{home.name}/{name}")
            attempts.append(Attempt(name, receipt, self._state(mark), mark))
        return tuple(sorted(attempts, key=lambda attempt: inbox.receipt_order(attempt.receipt), reverse=True))

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

    def _enqueue(self, tasks: Iterator[tuple[SubmissionRow, GradingTask]]) -> None:
        with self._changed:
            for row, task in tasks:
                key = _key(row)
                self._payloads.setdefault(key, task)
                self._queue.put(QueuedJob(row.learners[0] if row.learners else row.key, "grading", key, row.attempt))
            self._changed.notify_all()

    def _executor(self, index: int) -> Executor:
        """A worker. The last one is the spare worker, which runs only long jobs, at the lowest priority."""
        return schedule.executor(1, yielding=index == self.plan.workers)

    def _work(self, executors: list[Executor], index: int) -> None:
        """The main loop of the thread of one worker."""
        take = self._queue.take if index < self.plan.workers else self._queue.take_heavy
        while (job := self._next(take)) is not None:
            task, began = self._payloads[job.key], time.monotonic()
            try:
                if isinstance(task, _Check):
                    self._check(executors, index, task)
                else:
                    result = self._grade(executors, index, task)
                    if result is not None:
                        self._to_save.put(_Graded(result, job.person))
            except BaseException as error:  # this error would stop all other threads as well
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
                    self._revisions[job.person] += 1
                    return job
                self._changed.wait(_AGAIN)
            return None

    def _grade(self, executors: list[Executor], index: int, task: GradingTask) -> TaskResult | None:
        """The result; None if the worker was killed by the shutdown."""
        try:
            return self._run(executors, index, run_task, self._batch_plan, task)
        except (WorkerLost, BrokenProcessPool):
            return None if self._ending else TaskResult(task.key, error=WORKER_DIED_TWICE)
        except SandboxKilled as error:
            return None if self._ending else TaskResult(task.key, error=error.message)

    def _check(self, executors: list[Executor], index: int, task: _Check) -> None:
        """Pass the result of a check, or its error, to the person who waits. An error affects nobody else."""
        try:
            value = self._run(executors, index, task.function, *task.arguments)
        except (WorkerLost, BrokenProcessPool):
            task.fail(SandboxError(WORKER_DIED_TWICE))
        except AttncheckError as error:
            task.fail(error)
        except Exception as bug:
            self.report(INTERNAL_ERROR.fill(error=f"{type(bug).__name__}: {bug}"))
            task.fail(UsageError(_FAILED))
        else:
            if not task.result.done():
                task.result.set_result(value)

    def _run(self, executors: list[Executor], index: int, function: Callable[..., T], *arguments: object) -> T:
        """The result of a call in a worker. If the worker dies, it is replaced and the call is repeated once."""
        try:
            return schedule.result_of(executors[index].submit(function, *arguments))
        except (WorkerLost, BrokenProcessPool, SandboxKilled) as error:
            with self._changed:
                if self._ending:
                    raise
                if isinstance(error, BrokenProcessPool):
                    executors[index] = self._executor(index)
        return schedule.result_of(executors[index].submit(function, *arguments))

    def _halt(self, error: BaseException) -> None:
        """Stop grading after an error of attncheck or of this machine, which no submission caused."""
        if self._ending:
            return
        reason = error.message if isinstance(error, AttncheckError) else same(f"{type(error).__name__}: {error}")
        with self._changed:
            self.halted = reason
            self._end_checks()
        self.report(reason)

    # ------------------------------------------------------------------------------------------- the writer

    def _write_gradebook(self) -> None:
        """The main loop of the writer: save what arrives."""
        try:
            with contextlib.closing(open_gradebook(self.plan.folder)) as book:
                while (entries := self._arrived()) is not None:
                    with self._gradebook_lock():
                        self._save(book, entries)
        except BaseException as error:
            self._halt(error)

    def _arrived(self) -> list[_Entry] | None:
        """Everything that has arrived since the last call; waits for at least one entry. None at the end."""
        entries: list[_Entry] = []
        with contextlib.suppress(queue.Empty):
            while (entry := self._to_save.get(block=not entries)) is not None:
                entries.append(entry)
            if not entries:
                return None
            self._to_save.put(None)  # for the next call
        return entries

    @contextlib.contextmanager
    def _gradebook_lock(self) -> Iterator[None]:
        """Hold the lock on the gradebook; waits as long as another command holds it."""
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

    def _save(self, book: Gradebook, entries: list[_Entry]) -> None:
        graded = [entry for entry in entries if isinstance(entry, _Graded)]
        new = [entry for entry in entries if isinstance(entry, SubmissionRow) and entry.key not in self._rows]
        if new:
            book.add_submissions(new)
        if "arrived" in entries:
            keys = {row.key for row in new}
            new += [row for row in self._arrivals(book) if row.key not in keys]
        self._rows |= {row.key: row for row in new}
        with Recorder(book, GradingPlan(self.course, self.plan.seed, self._versions, self._rows)) as recorder:
            for entry in graded:
                recorder.save(entry.result)
        book.copy_to_identical()
        with self._changed:
            self._revisions.update(entry.person for entry in graded)
            self._revisions.update(learner for row in new for learner in row.learners)
        self._enqueue(tasks_left(book, self._versions, new))

    def _arrivals(self, book: Gradebook) -> list[SubmissionRow]:
        """Save what came into the inbox by another way, and return the rows of it."""
        try:
            rows = self._collect(book)
        except (AttncheckError, OSError) as error:  # what somebody put into the inbox stops no grading
            self.report(error.message if isinstance(error, AttncheckError) else same(str(error)))
            return []
        with self._changed:
            self._stored |= {row.key for row in rows}
        return [row for row in rows if row.key not in self._rows]


def _thread(function: Callable[..., None], name: str, *arguments: object) -> threading.Thread:
    return threading.Thread(target=function, args=arguments, name=name, daemon=True)


def _kill(executors: list[Executor]) -> None:
    """Kill the workers, and return when they have ended.

    Unfinished work is graded after the next start. ``executors`` is emptied, because the semaphores of an executor are
    released only when nothing refers to it.
    """
    ending = [threading.Thread(target=executor.shutdown, kwargs={"cancel_futures": True}) for executor in executors]
    for thread in ending:
        thread.start()
    while any(thread.is_alive() for thread in ending):  # a process that is just starting is killed in the next round
        for process in multiprocessing.active_children():
            process.kill()
        for thread in ending:
            thread.join(_ROUND / len(ending))
    executors.clear()


def _join(threads: list[threading.Thread]) -> None:
    """Wait for the threads, if they were started."""
    for thread in threads:
        if thread.ident is not None:
            thread.join(_LAST)


def _key(row: SubmissionRow) -> str:
    """The key of a grading job: submissions with the same files and seed name are graded once."""
    return f"{row.digest} {row.seed_name}"


def _edition(whole: Course, folder: Path, questions: tuple[str, ...], observe: Any) -> Course:
    """The learners' edition of the course, written to ``folder`` unless that has the current one."""
    with contextlib.suppress(AttncheckError):
        edition = courses.load(folder)
        names = tuple(sorted(question.id for question in edition.questions))
        mark = edition.edition
        if mark is not None and (mark.of, mark.attncheck, names) == (keyed_digest(whole), __version__, questions):
            return edition
    publish(whole, folder, questions, observe)
    return courses.load(folder)

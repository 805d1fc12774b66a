"""Many submissions → the gradebook, on any ``concurrent.futures`` executor.

What is graded is put down at once, one submission after the other, and never graded again: run the same command after
whatever happened, and it goes on where it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

from filelock import FileLock, Timeout

from grader import __version__
from grader.classroom.collect import Collected, Handed, collect, nothing_in, sayable
from grader.classroom.gradebook import INTAKE, Enrolled, Filed, Gradebook, Run, Unit, open_gradebook
from grader.classroom.intake import PLAIN, Person, Placed, Stray
from grader.classroom.roster import Match, Roster, alike, spellings
from grader.classroom.roster import read as read_roster
from grader.classroom.worker import Done, Lost, Plan, Task, Workers, ended, prepare, work
from grader.core import resources, serialize
from grader.core.errors import (
    AttncheckError,
    SandboxError,
    SandboxKilled,
    SandboxUnavailable,
    SubmissionError,
    UsageError,
)
from grader.core.model import Course, Question, Rules
from grader.course import edits, loader
from grader.course.items import drawn
from grader.grading import courses
from grader.grading.grade import Memo, Selection, check_names, module_of
from grader.grading.inputs import Seed
from grader.sandbox import Sandbox, Settings, libraries
from grader.sandbox.canaries import fault, release
from grader.submission import identity
from grader.submission.messages import listing, printable

#: Submissions on their way for each worker: enough that none is idle, few enough that memory stays flat.
_AHEAD = 3
#: Seconds after which workers are looked for that are not there any more, where nothing comes in.
_LOOK = 10.0
#: Of a learner's name, in letters. What is longer is cut, with a digest.
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be graded, where to, and how. All questions count, or those that are named.

    ``workers`` processes here, or those of the Dask cluster whose ``scheduler`` is named.
    """

    collection: Path
    out: Path
    course_folder: Path
    seed: Seed
    questions: tuple[str, ...] = ()
    intake: str | None = None
    roster: Path | None = None
    workers: int | None = None
    scheduler: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """How far a batch is: ``done`` of ``total``, ``key`` the latest of them, and the names of those being graded."""

    done: int
    total: int
    key: str
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of a batch: ``graded`` now, ``kept`` from before. Whom the roster does not know is named.

    ``rules`` are those of the course; ``timeless`` submissions came without a time, of which ``said_late`` were late
    by the word of the course system. ``misnamed`` are (learner, name in answers.yaml) where a question that counts has
    numbers drawn for a name, and the roster does not know this one as theirs; where nobody is ``listed`` in a roster,
    it seems to be somebody else's.
    """

    kind: str
    submissions: int
    graded: int
    kept: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    seconds: float = 0.0
    rules: Rules = field(default_factory=Rules)
    timeless: int = 0
    said_late: int = 0
    misnamed: tuple[tuple[str, str], ...] = ()
    listed: bool = True


def run(order: Order, progress: Callable[[Step], None] = lambda step: None) -> Summary:
    """Grades a collection into ``order.out``.

    Refuses (SandboxUnavailable) where code cannot be confined, and (UsageError) while another batch writes there.
    """
    started = time.perf_counter()
    if order.scheduler is not None and order.workers is not None:
        raise UsageError("--workers says how many processes work here, --scheduler who works elsewhere: leave one out.")
    loaded = loader.whole(courses.load(order.course_folder))
    counting = chosen(loaded, order.questions)
    roster = None if order.roster is None else read_roster(order.roster)
    _make(order.out)
    with alone(order.out):
        known = (lambda name: False) if roster is None else partial(_listed, roster)
        found = collect(order.collection, order.out / INTAKE, order.intake, known)
        with contextlib.closing(open_gradebook(order.out, create=True)) as book:
            handed = (*found.handed, *_claimed(found, roster))
            matches, misnamed = _enter(book, handed, roster, found.strays)
            book.remember_all(facts(order, loaded, counting))
            book.remember("collection", os.path.abspath(order.collection))
            versions = {question.id: version(question, loaded, order.seed) for question in counting}
            tasks = {filed.key: (filed, task) for filed, task in tasks_left(book, versions)}
            layers = grade_all(order, book, tasks, versions, loaded, progress) if tasks else ()
            book.share()
            after = book.submissions()
    refused = tuple((filed.key, filed.error) for filed in after if filed.error is not None)
    now = {(filed.digest, filed.draws) for filed, _ in tasks.values()}
    return Summary(
        kind=found.kind,
        submissions=len(after),
        graded=sum(filed.error is None and (filed.digest, filed.draws) in now for filed in after),
        kept=sum(filed.error is None and (filed.digest, filed.draws) not in now for filed in after),
        refused=refused,
        unknown=tuple(match.person.name for match in matches if match.why == "unknown"),
        ambiguous=tuple(match.person.name for match in matches if match.why == "ambiguous"),
        missing=() if roster is None else tuple(learner.id for learner in roster.missing(matches)),
        twice=twice(after),
        leftovers=found.leftovers,
        layers=layers,
        seconds=time.perf_counter() - started,
        rules=loaded.rules,
        timeless=sum(filed.at is None for filed in after),
        said_late=sum(filed.at is None and filed.late for filed in after),
        misnamed=misnamed if any(drawn(item.spec) for each in counting for item in each.items) else (),
        listed=roster is not None,
    )


def chosen(loaded: Course, names: tuple[str, ...]) -> tuple[Question, ...]:
    """The questions that count. Raises UsageError for a name that the course does not have."""
    check_names(loaded, Selection(questions=names))
    named = {name.lower() for name in names}
    return tuple(question for question in loaded.questions if not named or question.id.lower() in named)


def facts(order: Order, loaded: Course, counting: Sequence[Question]) -> dict[str, object]:
    """What a gradebook remembers of how it was graded."""
    return {
        "versions": {question.id: version(question, loaded, order.seed) for question in counting},
        "questions": {question.id: question.points for question in counting},
        "course": str(order.course_folder),
        "seed": order.seed.label,
        "rules": serialize.plain(loaded.rules),
    }


def version(question: Question, loaded: Course, seed: Seed) -> str:
    """What decides how a question is graded, but for the submission: its file, its references, seed and program."""
    sources = {
        (file.path, part.text)
        for exercise in question.exercises
        for file in edits.closure(loaded.reference, module_of(exercise))
        for part in file.parts
    }
    words = [__version__, loaded.public_id, seed.label, repr(question), repr(sorted(sources))]
    words += loaded.packages  # code that imports them failed without
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def twice(submissions: Sequence[Filed]) -> tuple[str, ...]:
    """Learners with two submissions of which none is the later one."""
    seen = Counter((learner, filed.attempt) for filed in submissions for learner in filed.learners)
    return tuple(sorted(learner for (learner, _), times in seen.items() if times > 1))


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """One at a time changes what is in a folder of results. The lock goes with the process, however that ends."""
    lock = FileLock(out / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"Another attncheck is grading into {out}; wait until it has finished, or work in another folder."
        ) from None
    except OSError as error:
        raise _not_writable(out, error) from error
    except NotImplementedError:
        raise UsageError(
            f"{out} cannot be locked (some network folders cannot), so that two could grade into it at once; "
            "work in a folder on this machine."
        ) from None
    try:
        yield
    finally:
        lock.release()


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(out, error) from error


def _not_writable(out: Path, error: OSError) -> UsageError:
    return UsageError(f"{out} cannot be written ({error.strerror}); make it writable, or work in another folder.")


# -------------------------------------------------------------------------------------------- entering


@dataclass(frozen=True, slots=True)
class _Signed:
    """Whose a submission is, under which names it came, and the name in its answers.yaml."""

    whose: str
    people: tuple[Person, ...]
    said: str


def _listed(roster: Roster, name: str) -> bool:
    """Whether a name is that of a learner in the roster."""
    return roster.match(Person(name, (("learner", name),))).why != "unknown"


def _claimed(found: Collected, roster: Roster | None) -> Iterator[Handed]:
    """Files that are never graded, called after a learner of the roster who has handed in nothing else."""
    if roster is None or found.kind != PLAIN:
        return
    there = {match.learner for each in found.handed for one in each.placed.people for match in roster.matches(one)}
    for name in found.leftovers:
        file = name.rpartition("/")[2]
        stem = file.rpartition(".")[0] or file
        person = Person(stem, (("learner", stem),))
        if _listed(roster, stem) and roster.match(person).learner not in there:
            called = sayable(name)
            yield Handed(Placed(called, (person,), ((name, file),)), Path(called), nothing_in(printable(file)))


def _enter(
    book: Gradebook, handed: Sequence[Handed], roster: Roster | None, strays: Sequence[Stray] = ()
) -> tuple[list[Match], tuple[tuple[str, str], ...]]:
    """Puts down who is in the class and what was handed in; without a roster, everybody is as the collection says.

    Returns whom the roster knows, and (learner, name) where answers.yaml has a name that is not that learner's.
    """
    if roster is not None:
        book.enrol(Enrolled(one.id, one.name, one.section, one.extra_hours) for one in roster.learners)
    matches: list[Match] = []
    filed: list[Filed] = []
    people: list[Enrolled] = []
    signed: list[_Signed] = []
    names = _names(handed)
    for each in handed:
        if roster is None:
            learners = tuple(names[each.placed.key])
            people += [Enrolled(name, name) for name in learners]
        else:
            found = [match for person in each.placed.people for match in roster.matches(person)]
            matches += found
            learners = tuple(sorted({match.learner.id for match in found if match.learner is not None}))
        one, said = _filed(each, learners, roster)
        filed.append(one)
        if said and (roster is None or one.draws != said):
            signed.append(_Signed(", ".join(learners) or one.key, _shown(each), said))
    if roster is None:
        book.enrol(people)
        signed = _strangers(signed, [person for each in handed for person in _shown(each)])
    book.file([*filed, *map(_nobodys, strays)])
    book.dismiss({one.id for one in people} if roster is None else {one.id for one in roster.learners})
    return matches, tuple((each.whose, each.said) for each in signed)


def _nobodys(stray: Stray) -> Filed:
    """Files that could be graded if it were known whose they are: they stand in the table, with the reason."""
    files = f" Files: {listing(tuple(map(printable, stray.files))).en}." if stray.files else ""
    why = f"it cannot be told whose this is ({printable(stray.why)}), so it was not graded.{files}"
    entry = sayable(stray.entry)
    return Filed(f"nobody/{entry}", "", (), draws=entry, error=why)


def _strangers(signed: Sequence[_Signed], everybody: Sequence[Person]) -> list[_Signed]:
    """Where answers.yaml has the name of another of ``everybody``, or one that cannot be this learner's.

    Where most could not be, the collection calls nobody by their own names (but by groups, say), and only the former
    tells something.
    """
    known = set[str]().union(*map(spellings, everybody))
    others: list[_Signed] = []
    odd: list[_Signed] = []
    for each in signed:
        said = spellings(Person(each.said, (("learner", each.said),)))
        if said.isdisjoint(set[str]().union(*map(spellings, each.people))):
            if not said.isdisjoint(known):
                others.append(each)
            elif not any(alike(each.said, person.name) for person in each.people):
                odd.append(each)
    return others + (odd if len(odd) <= max(1, len(signed) - len(odd)) else [])


def _filed(handed: Handed, learners: tuple[str, ...], roster: Roster | None) -> tuple[Filed, str | None]:
    """The submission with the digest of its files, or why it cannot be read; and whose its answers say that it is."""
    placed = handed.placed
    digest, said, error = "", None, handed.error
    try:
        if error is None:
            digest, said = identity(handed.path)
    except SubmissionError as refused:
        error = str(refused)
    except AttncheckError:
        raise
    except Exception as fault:  # this submission waits for us, the class does not
        if resources.lacks(fault):
            raise
        error = f"a fault of attncheck itself, not of the submission: {printable(f'{type(fault).__name__}: {fault}')}"
    draws = _draws(said, (_shown(handed)[0].name,) if roster is None else learners, roster) or placed.people[0].name
    path = os.path.abspath(handed.path)
    return Filed(placed.key, path, learners, digest, draws, placed.at, placed.late, placed.attempt, error), said


def _draws(said: str | None, learners: tuple[str, ...], roster: Roster | None) -> str:
    """For whom numbers are drawn: as answers.yaml says, since that is what was answered; but never for somebody else.

    A roster knows who that would be: then the name has to be one that this learner is known by.
    """
    if said and roster is not None:
        found = roster.match(Person(said, (("learner", said),))).learner
        said = said if found is not None and found.id in learners else None
    return said or (learners[0] if learners else "")


def _shown(handed: Handed) -> tuple[Person, ...]:
    """The people of a submission, with names that can be shown; those that were cut differ in their last letters."""
    return tuple(Person(_sayable(person.name), person.ids) for person in handed.placed.people)


def _sayable(name: str) -> str:
    said = " ".join(printable(name, len(name)).split()) or "learner"
    return said if len(said) <= LONGEST_NAME else f"{said[: LONGEST_NAME - 10]}…{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _names(handed: Sequence[Handed]) -> dict[str, list[str]]:
    """For each submission the names of its people, whatever the order of submissions.

    Different people of one name are told from each other by what their course system calls them: ``Jane Doe (1234)``.
    """
    everybody = {(person.name, person.ids) for each in handed for person in _shown(each)}
    called = _apart({one: one[0] for one in everybody}, lambda one: f"{one[0]} ({_mark(one[1])})")
    called = _apart(called, lambda one: f"{one[0]} ({_digest(repr(one))})")
    return {each.placed.key: [called[person.name, person.ids] for person in _shown(each)] for each in handed}


_Somebody: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]  # name and ids


def _apart(called: Mapping[_Somebody, str], other: Callable[[_Somebody], str]) -> dict[_Somebody, str]:
    """Other names for all whose name is not theirs alone, upper and lower case being the same."""
    times = Counter(name.casefold() for name in called.values())
    return {one: name if times[name.casefold()] == 1 else other(one) for one, name in called.items()}


def _mark(ids: tuple[tuple[str, str], ...]) -> str:
    """What tells one of several namesakes: a number; an address is nobody's name."""
    plain = [printable(value, 80) for kind, value in ids if kind not in ("learner", "email") and "@" not in value]
    return plain[0] if plain else _digest(repr(ids))


def tasks_left(book: Gradebook, versions: Mapping[str, str]) -> Iterator[tuple[Filed, Task]]:
    """What is not graded yet: of the same files with the same numbers, one."""
    seen = set()
    for filed in book.submissions():
        if filed.error is None and (filed.digest, filed.draws) not in seen:
            seen.add((filed.digest, filed.draws))
            left = tuple(name for name, current in versions.items() if not book.has(filed, name, current))
            if left:
                yield filed, Task(filed.key, filed.path, filed.draws, left, digest=filed.digest)


# --------------------------------------------------------------------------------------------- grading


def grade_all(
    order: Order,
    book: Gradebook,
    tasks: Mapping[str, tuple[Filed, Task]],
    versions: Mapping[str, str],
    loaded: Course,
    progress: Callable[[Step], None],
) -> tuple[str, ...]:
    """Grades what is left, and puts each down as it comes in. Returns the layers of the sandbox here."""
    with (
        _here(order, tasks, loaded) if order.scheduler is None else _elsewhere(order, order.scheduler, loaded) as place
    ):
        for at, (done, waiting) in enumerate(_through(place, tasks), 1):
            filed, _ = tasks[done.key]
            if done.error is not None:
                book.refuse(filed, done.error)
            else:
                units = [Unit(result.id, versions[result.id], result) for result in done.results]
                book.record(filed, _run(order, loaded, done), units, dict(done.answers), done.notices)
            progress(Step(at, len(tasks), done.key, waiting))
        return place.layers


def _run(order: Order, loaded: Course, done: Done) -> Run:
    now = datetime.now(UTC)
    return Run(now, done.seconds, order.seed.label, loaded.digest, done.versions, done.layers, done.unsafe)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where submissions are graded, and what confines them there.

    ``pools`` has another executor where one is broken; ``size`` says how many workers there are.
    """

    pools: Iterator[Executor]
    size: Callable[[], int]
    send: Callable[[Executor, Task], Future[Done]]
    layers: tuple[str, ...]


@contextlib.contextmanager
def _here(order: Order, tasks: Mapping[str, tuple[Filed, Task]], loaded: Course) -> Iterator[_Place]:
    """On this machine."""
    private = str((order.out / ".expected").resolve())
    plan = Plan(str(order.course_folder), order.seed, private, libraries.digest(loaded.packages))
    count = max(1, min(order.workers or resources.processors(), len(tasks)))
    pools = (executor(count) for _ in itertools.count())
    with ended(next(pools)) as first:
        ready = [first.submit(prepare, plan) for _ in range(count)]  # they import torch during the rehearsal
        names = {name for _, task in tasks.values() for name in task.questions}
        layers = rehearse(plan, names, lambda: wait(ready))
        all_pools = itertools.chain([first], pools)
        yield _Place(all_pools, lambda: count, lambda pool, task: pool.submit(work, plan, task), layers)


@contextlib.contextmanager
def _elsewhere(order: Order, scheduler: str, loaded: Course) -> Iterator[_Place]:
    """On a cluster. What a batch into this folder may have left on its workers is taken over."""
    try:
        from grader.classroom import dask
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--scheduler needs a library that is not installed here ({error.name}): pip install 'attncheck[cluster]'"
        ) from error
    name = f"{socket.gethostname()}:{order.out.resolve()}"
    desk = f"attncheck-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    with dask.hired(scheduler, desk, loaded) as crew:
        yield _Place(itertools.repeat(crew), crew.size, lambda _, task: crew.grade(order.seed, task), crew.layers)


def executor(count: int) -> Executor:
    """Where submissions are graded: processes here."""
    return Workers(count)


def rehearse(plan: Plan, questions: Container[str], quiet: Callable[[], object] = lambda: None) -> tuple[str, ...]:
    """Before anything is graded: canary attacks, and the references of ``questions`` run once for all workers.

    ``quiet`` waits until nothing else of ours is running; see ``release``.
    """
    sandbox = Sandbox("require", Settings())
    try:
        loaded = courses.load(Path(plan.course_folder))
        sandbox.allow(loaded.packages)
        said = fault(release(sandbox.observe, quiet), "this machine")
        if said:
            raise SandboxUnavailable(f"{said}; nothing was graded. 'attncheck doctor' shows the layers")
        Memo(loaded, plan.seed, plan.expecting(sandbox.observe)).prepare(questions)
        return sandbox.layers
    finally:
        sandbox.close()


def _through(place: _Place, tasks: Mapping[str, tuple[Filed, Task]]) -> Iterator[tuple[Done, tuple[str, ...]]]:
    """Every task, done, as they come in, each with the keys of those on their way.

    Where a worker process dies, what it had in hand (and where this ends the executor, all that was) is tried again,
    one at a time; who takes a worker along once more is given up. So is a submission whose sandbox is killed.
    """
    left = [task for _, task in tasks.values()][::-1]
    suspects: list[Task] = []
    while left or suspects:
        alone = bool(suspects)
        source = suspects if alone else left
        flying: dict[Future[Done], Task] = {}
        broken = False
        with ended(next(place.pools)) as pool:
            while (source or flying) and not broken:
                room = 1 if alone else place.size() * _AHEAD
                try:
                    while source and len(flying) < room:
                        flying[place.send(pool, source[-1])] = source[-1]
                        source.pop()
                except BrokenProcessPool as error:
                    if not flying:
                        raise SandboxError("worker processes end as soon as they have started") from error
                    broken = True  # just now, and those on their way will say so
                finished, _ = wait(flying, _LOOK, FIRST_COMPLETED)
                for future in finished:
                    task = flying.pop(future)
                    try:
                        done = _done(future)
                    except (Lost, BrokenProcessPool, SandboxKilled) as error:
                        broken = broken or isinstance(error, BrokenProcessPool)
                        if not alone:
                            suspects.append(task)
                            continue
                        done = Done(task.key, error=str(error) if isinstance(error, SandboxKilled) else _TWICE)
                    yield done, tuple(other.key for other in flying.values())
            suspects += flying.values()


_TWICE = "a worker process ended while grading it, twice; usually the machine is short of memory. Run it again"


def _done(future: Future[Done]) -> Done:
    """The result. Raises what says that the worker process is gone, and our own errors."""
    try:
        return future.result()
    except OSError as error:
        said = resources.lacks(error) or error
        raise SandboxError(f"a worker process could not go on: {said}") from error

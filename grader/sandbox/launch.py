"""Turns a job into observations: starts children, exchanges frames, enforces limits, and replaces dead children.

The grader trusts nothing that comes back. A frame is read only up to a size known in advance, its bytes are decoded by
``inside.frames`` alone, and frames must answer the tasks in order. Anything else ends the child.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from grader.core.errors import SandboxError, SandboxKilled
from grader.core.model import (
    Died,
    Job,
    Limits,
    Message,
    MissingModule,
    NotRun,
    Observation,
    Observed,
    Raised,
    ResourceUsage,
    Returned,
    TimedOut,
    TooBig,
    Unreadable,
)
from grader.sandbox.children import POLL_SECONDS, Child, ChildEnded, ChildFactory, MalformedFrame, OversizedFrame
from grader.sandbox.inside import frames
from grader.sandbox.wire import (
    ChildTask,
    StepsPacker,
    decode_value,
    encode_files,
    encode_tasks,
    loads_late,
    modules_of,
    send_order,
    tasks_of,
)
from grader.sandbox.zygote import ZygoteLost

#: How many processes a submission may lose in plain mode, where each new one spends seconds importing torch.
_PLAIN_DEATHS = 3


@dataclass(slots=True)
class _Clock:
    """Seconds of CPU time and of wall time."""

    cpu: float = 0.0
    wall: float = 0.0

    def reached(self, cpu: float, wall: float) -> bool:
        """Whether either clock has reached its limit, in seconds."""
        return self.cpu >= cpu or self.wall >= wall


#: What the programs of a job returned and used up to some moment: ``found``, ``groups``, ``full`` and ``total``.
_Results: TypeAlias = tuple[dict[int, Observation], dict[str, _Clock], set[str], _Clock]


@dataclass(slots=True)
class _Run:
    """The state of one ``observe``."""

    job: Job
    limits: Limits
    found: dict[int, Observation] = field(default_factory=dict)
    printed: dict[int, str] = field(default_factory=dict)
    lost_modules: dict[str, Observation] = field(default_factory=dict)
    failed_cells: dict[str, Observation] = field(default_factory=dict)
    absent: dict[str, MissingModule] = field(default_factory=dict)
    groups: dict[str, _Clock] = field(default_factory=dict)
    full: set[str] = field(default_factory=set)  # groups in which a call ran out of memory
    slow: bool = False  # whether programs are sent one at a time
    packer: StepsPacker = field(default_factory=StepsPacker)
    total: _Clock = field(default_factory=_Clock)
    received: int = 0
    read: float = 0.0  # the child's CPU clock when last read
    deaths: int = 0  # children that ended early or had to be killed
    killed: bool = False  # whether something outside has killed a child
    inputs: bool = False  # whether inputs have been sent
    hidden: bool = False  # whether hidden inputs have been sent
    layers: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def after(cls, usage: ResourceUsage, job: Job, limits: Limits, packer: StepsPacker) -> _Run:
        """A run that continues from what the submission's earlier jobs used."""
        run = cls(job, limits, total=_Clock(usage.cpu, usage.wall), packer=packer)
        run.received, run.deaths, run.hidden, run.slow = usage.received, usage.deaths, usage.hidden, usage.slow
        return run

    def usage(self) -> ResourceUsage:
        """What the submission's next job needs to know."""
        return ResourceUsage(self.total.cpu, self.total.wall, self.received, self.deaths, self.hidden, self.slow)

    def results(self) -> _Results:
        """What the programs returned and used so far."""
        groups = {name: replace(clock) for name, clock in self.groups.items()}
        return dict(self.found), groups, set(self.full), replace(self.total)

    def back_to(self, results: _Results) -> None:
        """Discards what programs returned and used since then, but not what happened when files were loaded."""
        self.found, self.groups, self.full, self.total = results

    def remaining(self) -> list[ChildTask]:
        """The tasks that are left, each file before its first program. Records which programs cannot be run."""
        if len(self.found) == len(self.job.programs):
            return []
        tasks = []
        for task in tasks_of(self.job):
            index, program = task.index, task.program
            if index in self.found or (program is None and task.module in self.lost_modules):
                continue
            if program is None or index is None:
                tasks.append(task)
            elif task.module in self.lost_modules:
                self.found[index] = self.lost_modules[task.module]
            elif program.group in self.full:
                self.found[index] = NotRun("memory")
            elif self._spent(self.groups.get(program.group)):
                self.found[index] = NotRun("group")
            else:
                tasks.append(task)
        needed = {module for task in tasks if task.program is not None for module in modules_of(task.program)}
        return [task for task in tasks if task.module in needed]

    def _spent(self, clock: _Clock | None) -> bool:
        limits = self.limits
        return clock is not None and clock.reached(limits.group_cpu, limits.group_wall)

    def settle(self, task: ChildTask, observation: Observation) -> None:
        """Records the result of ``task``."""
        if task.index is None:
            # Once hidden inputs have been sent, what a file says when it fails to load could contain them.
            self.lost_modules[task.module] = NotRun("load") if self.hidden else observation
        else:
            self.found[task.index] = observation

    def give_up(self, reason: Literal["budget", "children"]) -> None:
        """Records that the remaining programs were not run."""
        for index in range(len(self.job.programs)):
            self.found.setdefault(index, NotRun(reason))

    def allowance(self, task: ChildTask) -> tuple[float, float]:
        """Seconds of CPU time and of wall time that ``task`` may still use."""
        if task.program is None:
            cpu, wall = self.limits.import_cpu, self.limits.import_wall
        else:
            clock = self.groups.setdefault(task.program.group, _Clock())
            cpu, wall = self.limits.group_cpu - clock.cpu, self.limits.group_wall - clock.wall
        return min(cpu, self.limits.total_cpu - self.total.cpu), min(wall, self.limits.total_wall - self.total.wall)

    def charge(self, task: ChildTask, cpu: float, wall: float) -> None:
        """Adds what ``task`` used to its group and to the total."""
        clocks = [self.total]
        if task.program is not None:
            clocks.append(self.groups.setdefault(task.program.group, _Clock()))
        for clock in clocks:
            clock.cpu += cpu
            clock.wall += wall


def observe(children: ChildFactory, job: Job, limits: Limits, packer: StepsPacker | None = None) -> Observed:
    """Runs every program of ``job``, in as few children as possible. Pass the same ``packer`` for each of several jobs.

    A child that is killed from outside, for example by the kernel when memory is short, is replaced once, and its task
    starts again. Raises SandboxKilled the second time, because that is never the learner's fault, and SandboxError for
    errors of our own.
    """
    run = _Run.after(job.usage, job, limits, packer or StepsPacker())
    deaths = min(limits.fresh_children, _PLAIN_DEATHS) if children.unsafe else limits.fresh_children
    while tasks := run.remaining():
        if run.total.reached(limits.total_cpu, limits.total_wall):
            run.give_up("budget")
            break
        if run.deaths >= deaths:
            run.give_up("children")
            break
        try:
            _in_a_child(run, children, tasks)
        except ZygoteLost as lost:
            lost.usage = run.usage()
            raise
    ordered = tuple(run.found[index] for index in range(len(job.programs)))
    used = run.total.cpu - job.usage.cpu
    absent = tuple(run.absent.values())
    printed = tuple(run.printed.get(index, "") for index in range(len(job.programs))) if run.printed else ()
    return Observed(ordered, run.layers, children.unsafe, run.versions, used, run.usage(), absent, printed)


def _in_a_child(run: _Run, children: ChildFactory, tasks: list[ChildTask]) -> None:
    """Starts a child and sends it ``tasks`` until all are answered or the child ends."""
    # More than is left, because the grader's clock decides; loading more of torch comes before that clock starts.
    cpu = int(run.limits.total_cpu - run.total.cpu) + (20 if loads_late(run.job) else 2)
    before = run.results()
    with contextlib.closing(children.start(encode_files(run.job), cpu, run.limits)) as child:
        try:
            _greet(run, child, run.limits)
            done = _serve(run, child, tasks, together=not children.unsafe)
        except ChildEnded as end:  # its last task is not charged, because it is run again
            if run.killed:
                raise SandboxKilled(_KILLED) from end
            run.killed, done = True, False
        except _TooSlow:  # nothing that this child did is charged, and ending it was our decision
            run.slow = True
            run.back_to(before)
            return
        run.deaths += not done
        run.received += child.received


_KILLED = Message(
    "could not be graded: the process that ran this code was killed twice from outside, usually because the machine is "
    "short of memory."
).with_advice(
    Message(
        "One submission may need 1.5 GB of free memory: close other programs, or use fewer --workers, and run the "
        "command again"
    )
)
_NOT_READY = Message("the sandboxed child was not ready after {seconds:g} s")
_ENDED_EARLY = Message("the sandboxed child ended before it was ready ({error})")


def _greet(run: _Run, child: Child, limits: Limits) -> None:
    """Waits for HELLO. No learner code runs before it, so if it does not arrive, that is our fault.

    Raises SandboxError in that case, and ChildEnded if the child was killed from outside.
    """
    until = child.wall_seconds() + child.patience
    try:
        while (got := child.receive(max(POLL_SECONDS, until - child.wall_seconds()), limits.result_bytes)) is None:
            if (over := child.wall_seconds() - until) >= 0 and child.stuck(over):
                raise SandboxError(_NOT_READY.fill(seconds=child.patience))
    except (ChildEnded, MalformedFrame, OversizedFrame) as error:
        if isinstance(error, ChildEnded) and error.outside:
            raise
        raise SandboxError(_ENDED_EARLY.fill(error=error)) from error
    kind, value = got
    if kind != frames.HELLO:
        raise SandboxError(Message("the sandboxed child could not be confined: {error}").fill(error=value))
    run.layers = tuple(value["layers"])
    run.versions = tuple(sorted(value["versions"].items()))


#: The CPU and wall time, in seconds, that programs which are sent together may use.
_TOGETHER = _Clock(0.25, 1.0)
#: After this much time, a child gets one program at a time, because all that it did may have to be repeated.
_REPEATED = _Clock(5.0, 10.0)


class _TooSlow(Exception):
    """Programs that were sent together were not all answered, or not soon enough.

    Nothing that their child did counts or is charged: another child repeats it, one program at a time. Otherwise, code
    that keeps state between calls would see fewer of them on a slow machine, and return other results. This happens at
    most once for a submission.
    """


def _serve(run: _Run, child: Child, tasks: list[ChildTask], *, together: bool) -> bool:
    """Sends the tasks. True if all were answered, False if the child ended or was killed. May raise _TooSlow.

    If ``together``, the public programs of a group are sent in one message, and so are its hidden ones. Everything else
    is sent one at a time. While the last answer to a message waits to be read, the child is idle, so its clocks show
    what the message cost, however late it is read; all of it is charged to one group. Only messages with one task
    decide which call reaches a limit.
    """
    number = 0
    run.read = child.cpu_seconds()  # before the first task: what the child uses from here on is the learner's
    start = replace(run.total)
    waiting = deque(send_order(tasks))
    while waiting:
        used = _Clock(run.total.cpu - start.cpu, run.total.wall - start.wall)
        message = _message(waiting, together and not run.slow and not used.reached(_REPEATED.cpu, _REPEATED.wall))
        sent = [task for task in message if task.module not in run.lost_modules]
        if not sent:
            continue
        run.hidden |= any(task.program is not None and task.program.hidden for task in sent)
        started = child.wall_seconds()
        child.send(encode_tasks(sent, run.limits, run.packer))
        run.total.wall += max(0.0, child.wall_seconds() - started)  # a child that does not read delays us
        run.inputs |= any(task.program is not None for task in sent)
        if len(sent) > 1:
            number = _settle_together(run, child, number, sent)
        elif not _settled(run, child, number, sent[0]):
            return False
        else:
            number += 1
    return True


def _message(waiting: deque[ChildTask], together: bool) -> list[ChildTask]:
    """Takes the tasks of the next message: with ``together``, all of one group that are public, or all hidden ones."""
    message = [waiting.popleft()]
    first = message[0].program
    if together and first is not None:
        while waiting and (one := waiting[0].program) and (one.group, one.hidden) == (first.group, first.hidden):
            message.append(waiting.popleft())
    return message


def _settle_together(run: _Run, child: Child, number: int, tasks: list[ChildTask]) -> int:
    """Waits for the answers to programs of one group, records them, and charges what they cost.

    Raises _TooSlow, with nothing recorded or charged, unless all were answered, the child can still be used, and they
    used so little that no limit was near. ``number`` is that of the first task; returns that of the next one. The child
    is asked to load the file again, which shows that it can still be used: code that ends it may answer first.
    """
    allowed = run.allowance(tasks[0])
    most = _Clock(min(allowed[0], _TOGETHER.cpu), min(allowed[1], _TOGETHER.wall))
    cpu_before, wall_before = run.read, child.wall_seconds()
    until = _Clock(cpu_before + most.cpu, wall_before + most.wall)
    found: list[Observation] = []
    for task in tasks:
        observation = _answer(run, child, number + len(found), task, until)
        if observation is None or not _goes_on(observation):
            break
        found.append(observation)
    there = ChildTask(tasks[0].module)
    after = number + len(tasks)
    alive = False
    if len(found) == len(tasks):
        child.send(encode_tasks([there], run.limits))
        alive = _answer(run, child, after, there, until) is None
    run.read = child.cpu_seconds(cpu_before)
    used = _Clock(run.read - cpu_before, max(0.0, child.wall_seconds() - wall_before))
    if not alive or used.reached(most.cpu, most.wall):
        child.kill()
        raise _TooSlow
    run.charge(tasks[0], used.cpu, used.wall)
    for task, observation in zip(tasks, found, strict=True):
        run.settle(task, observation)
    return after + 1


def _goes_on(observation: Observation) -> bool:
    """Whether a child that gave this answer can run the next program of the group."""
    match observation:
        case Raised():
            return not observation.out_of_memory
        case Unreadable(reason):
            return reason != "protocol"
        case _:
            return isinstance(observation, Returned)


def _settled(run: _Run, child: Child, number: int, task: ChildTask) -> bool:
    """Waits for one answer and charges what it cost. False if the child cannot be used any more."""
    cpu_limit, wall_limit = run.allowance(task)
    cpu_before, wall_before = run.read, child.wall_seconds()
    observation = _answer(run, child, number, task, _Clock(cpu_before + cpu_limit, wall_before + wall_limit))
    run.read = child.cpu_seconds(cpu_before)
    cpu, wall = run.read - cpu_before, max(0.0, child.wall_seconds() - wall_before)
    if cpu > cpu_limit and not isinstance(observation, TimedOut):  # the answer came before we saw the limit reached
        child.kill()
        observation = TimedOut(_allowed(run, task, "cpu"), "cpu", task.during)
    if isinstance(observation, TimedOut):
        # Exactly used up, so that the rest of the group is not tried.
        cpu = max(cpu, cpu_limit) if observation.clock == "cpu" else cpu
        wall = max(wall, wall_limit) if observation.clock == "wall" else wall
    run.charge(task, cpu, wall)
    match observation:
        case None:
            return True
        case TooBig(limit=-1):
            run.settle(task, TooBig(run.limits.result_bytes))
            return False
        case Raised(during="call", out_of_memory=True) if task.program is not None:
            # Filling the memory takes a third of the group's time, and more on a busy machine. If the group continued,
            # the load of the machine would decide which call reaches which limit.
            run.settle(task, observation)
            run.full.add(task.program.group)
            return False
        case _:
            run.settle(task, observation)
            return not isinstance(observation, (TimedOut, Died)) and observation != Unreadable("protocol")


def _answer(run: _Run, child: Child, number: int, task: ChildTask, until: _Clock) -> Observation | None:
    """The result of one task; None for a file that loaded. ``until`` are the deadlines on the child's clocks.

    The wall clock ends only a child that sleeps; one that waits for a processor is limited by its CPU clock. Raises
    ChildEnded if the child was killed from outside.
    """
    patience = 0.0  # an answer that has already arrived needs no clock
    while True:
        try:
            room = run.limits.total_bytes - run.received - child.received
            got = child.receive(patience, min(run.limits.result_bytes, room))
            if got is not None:
                return _observation(run, got, number, task)
        except ChildEnded as end:
            if end.outside:
                raise
            if end.cpu_limit:
                return TimedOut(run.limits.total_cpu, "cpu", task.during)
            return Died(end.signal, end.code, task.during)
        except OversizedFrame:
            child.kill()
            return TooBig(-1)
        except MalformedFrame:
            child.kill()
            return Unreadable("protocol")
        wall_left, cpu_left = until.wall - child.wall_seconds(), until.cpu - child.cpu_seconds()
        if cpu_left <= 0:
            child.kill()
            return TimedOut(_allowed(run, task, "cpu"), "cpu", task.during)
        if wall_left <= 0 and child.stuck(-wall_left):
            child.kill()
            return TimedOut(_allowed(run, task, "wall"), "wall", task.during)
        patience = min(max(wall_left, POLL_SECONDS), max(cpu_left, 0.005))


def _allowed(run: _Run, task: ChildTask, clock: Literal["cpu", "wall"]) -> float:
    """The limit that ``task`` reached, in seconds: its own, or the submission's if that was reached first."""
    own: float = getattr(run.limits, f"group_{clock}" if task.program else f"import_{clock}")
    total: float = getattr(run.limits, f"total_{clock}")
    used = run.groups.get(task.program.group, _Clock()) if task.program else _Clock()
    return own if own - getattr(used, clock) <= total - getattr(run.total, clock) else total


def _observation(run: _Run, got: tuple[int, Any], number: int, task: ChildTask) -> Observation | None:
    """A frame as an observation; None for a file that loaded. Raises MalformedFrame if it does not answer ``task``."""
    kind, value = got
    try:
        if value["task"] != number or kind not in (_TO_LOAD if task.program is None else _TO_RUN):
            raise MalformedFrame("an answer to something else")
        if task.index is not None and not run.hidden:  # after that, it could contain hidden inputs
            run.printed[task.index] = _text(value.get("printed", ""), _MOST_PRINTED)
        match kind:
            case frames.LOADED:
                if not (run.hidden or run.deaths or run.inputs):  # no child has had an input yet
                    run.absent = {each.module: each for each in _absent(run, value["absent"])} | run.absent
                if value["failures"] and not run.hidden:
                    run.failed_cells[task.module] = _raised(run, value["failures"][0], "import")
                return None
            case frames.RETURNED:
                values = tuple(decode_value(entry) for entry in value["values"])
                if task.program is None or len(values) != len(task.program.send):
                    raise MalformedFrame("a wrong number of values")
                return Returned(values)
            case frames.RAISED:
                # ``during`` comes from the task, not from the child, because text from loading may be shown.
                return _raised(run, value, task.during)
            case frames.UNREADABLE:
                if value["reason"] == "undefined" and task.module in run.failed_cells:
                    return run.failed_cells[task.module]
                return Unreadable(_text(value["reason"], 40), tuple(_text(d, 200) for d in value["detail"][:40]))
            case _:
                return TooBig(run.limits.result_bytes)
    except (KeyError, TypeError, IndexError, AttributeError, frames.FrameError) as error:
        raise MalformedFrame("a frame with missing or wrong fields") from error


_TO_LOAD = (frames.LOADED, frames.RAISED)
_TO_RUN = (frames.RETURNED, frames.RAISED, frames.UNREADABLE, frames.TOO_BIG)


def _raised(run: _Run, value: dict[str, Any], during: Literal["import", "call"]) -> Raised:
    """An exception as the child describes it. File and line are kept only if the submission has such a line."""
    lines = {part.label: part.text.count("\n") + 1 for file in run.job.files for part in file.parts}
    file, line = value["file"], value["line"]
    known = type(file) is str and file in lines
    there = known and type(line) is int and 0 < line <= lines[file]
    bases = tuple(_text(base, 80) for base in value["bases"][:20])
    type_, text = _text(value["type"], 80), _text(value["text"], 600)
    return Raised(type_, text, file if known else None, line if there else None, during, bases)


#: How many characters of what a program printed are read.
_MOST_PRINTED = 8192

#: How many absent modules are reported, as in ``inside.serve``.
_MOST_ABSENT = 20


def _absent(run: _Run, entries: Any) -> Iterator[MissingModule]:
    """The modules that are reported missing, but only those that the submission names on the reported line."""
    lines = {part.label: part.text.split("\n") for file in run.job.files for part in file.parts}
    for entry in entries[:_MOST_ABSENT]:
        if not isinstance(entry, list) or len(entry) != 3:
            raise MalformedFrame("something other than a module and its place")
        module, file, line = entry
        there = lines.get(file, []) if type(file) is str else []
        words = _text(module, 100).split(".")
        asked = type(line) is int and 0 < line <= len(there) and words[0] in there[line - 1]
        if asked and all(word.isidentifier() for word in words):
            yield MissingModule(".".join(words), file, line)


def _text(value: Any, limit: int) -> str:
    if not isinstance(value, str):
        raise MalformedFrame("something that is not text")
    return value[:limit]

"""Turns a job into observations: starts children, exchanges frames, enforces limits, and replaces dead children.

The grader trusts nothing that comes back. A frame is read only up to a size known in advance, its bytes are decoded by
``inside.frames`` alone, and frames must answer the tasks in order. Anything else ends the child.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from grader.core.errors import LibrariesChanged, SandboxError, SandboxKilled, SandboxUnavailable
from grader.core.model import (
    Absent,
    Apply,
    Array,
    Call,
    Died,
    Job,
    Limits,
    LocatedOwn,
    NotRun,
    Observation,
    Observed,
    Own,
    Past,
    Probing,
    Program,
    Raised,
    Ref,
    Returned,
    SourceFile,
    Step,
    Text,
    TimedOut,
    TooBig,
    Unreadable,
    Value,
)
from grader.sandbox import policy
from grader.sandbox.children import POLL_SECONDS, Child, ChildFactory, Ended, Garbled, Oversized, PlainChildFactory
from grader.sandbox.inside import frames
from grader.sandbox.libraries import CHANGED, OTHER_FILES, Snapshot
from grader.sandbox.zygote import Zygote, ZygoteLost, ZygoteSettings

Mode = Literal["auto", "require", "plain"]

#: How many processes a submission may lose in plain mode, where each new one spends seconds importing torch.
_PLAIN_DEATHS = 3


# ------------------------------------------------------------------------------------------ encoding


def encode_files(job: Job) -> bytes:
    """The JOB frame: the submission's files, and whether they get probes."""
    probed = any(program.probing is not None for program in job.programs)
    files = [
        {
            "module": f.module,
            "parts": [[p.label, p.text] for p in f.parts],
            "is_package": f.is_package,
            "futures": list(f.futures),
            "probed": probed,
        }
        for f in job.files
    ]
    return frames.frame(frames.JOB, files)


class StepsPacker:
    """Packs the steps of programs, and keeps what it packed last: a class runs the same programs for every learner.

    Steps are recognized by identity, because comparing their arrays would take longer than packing them.
    """

    def __init__(self, most: int = 32 << 20) -> None:
        """Keeps at most ``most`` bytes."""
        self._most = most
        self._kept = 0
        self._known: OrderedDict[int, tuple[tuple[Step, ...], bytes]] = OrderedDict()

    def pack(self, steps: tuple[Step, ...]) -> bytes:
        """The packed steps. They are kept as well, so no others can get their identity meanwhile."""
        if (known := self._known.get(id(steps))) is not None:
            self._known.move_to_end(id(steps))
            return known[1]
        data = frames.pack_tasks([_step(step) for step in steps])
        self._known[id(steps)] = steps, data
        self._kept += len(data)
        while self._kept > self._most:
            _, (_, oldest) = self._known.popitem(last=False)
            self._kept -= len(oldest)
        return data


def encode_tasks(tasks: Iterable[ChildTask], limits: Limits, packer: StepsPacker | None = None) -> bytes:
    """A TASKS frame. The steps of each program are packed on their own."""
    packer = packer or StepsPacker()
    values = [_task(task, limits, packer.pack) for task in tasks]
    return frames.framed(frames.TASKS, frames.pack_tasks(values))


def task_values(tasks: Iterable[ChildTask], limits: Limits) -> list[Any]:
    """Tasks as plain values, with all steps; ``frames.encode`` makes the same bytes of equal ones."""
    return [_task(task, limits, lambda steps: [_step(step) for step in steps]) for task in tasks]


def tasks_of(job: Job) -> list[ChildTask]:
    """A task for every file that the programs of ``job`` need, then one for each program."""
    programs = [_found(program, job.files) for program in job.programs]
    modules = dict.fromkeys(module for program in programs for module in _modules(program))
    runs = [ChildTask(program.module, index, program) for index, program in enumerate(programs)]
    return [*(ChildTask(module) for module in modules), *runs]


def _modules(program: Program) -> list[str]:
    """The modules whose names the program uses."""
    others = [step.module for step in program.steps if isinstance(step, LocatedOwn)]
    return [program.module, *others]


def _found(program: Program, files: tuple[SourceFile, ...]) -> Program:
    """The program, with the module added where another file than its own defines a name that it uses."""

    def found(step: Step) -> Step:
        if not isinstance(step, Own) or step.otherwise is None:
            return step
        definers = [file.module for file in files if step.name in dict(file.defines)]
        if program.module in definers or not definers:
            return step
        return LocatedOwn(step.name, step.otherwise, definers[0])

    steps = tuple(map(found, program.steps))
    if all(one is other for one, other in zip(steps, program.steps, strict=True)):
        return program
    return replace(program, steps=steps)


def in_order(tasks: Iterable[ChildTask]) -> list[ChildTask]:
    """The tasks in the order in which they are sent: files, then public cases, then hidden ones.

    The child has nothing of a hidden case until it has answered everything else. So the text of an exception at import
    or in a public case, which is shown, cannot contain a hidden input.
    """
    return sorted(tasks, key=lambda task: 0 if task.program is None else 1 + task.program.hidden)


def _task(task: ChildTask, limits: Limits, written: Callable[[tuple[Step, ...]], Any]) -> list[Any]:
    """A task as the child reads it (see ``inside``), with steps as ``written`` writes them."""
    if task.program is None:
        return ["load", task.module]
    program = task.program
    steps = written(program.steps)
    asked = [] if program.probing is None else [_probing(program.probing)]
    run = ["run", program.module, program.array_type, program.seed, steps, list(program.send), limits.result_bytes]
    return [*run, *asked]


def _probing(probing: Probing) -> list[Any]:
    """What ``inside.probing.search`` gets besides the program."""
    landmarks = [[_argument(value) for value in values] for values in probing.landmarks]
    return [landmarks, [list(pair) for pair in probing.fixed], probing.reruns, probing.cpu]


def _step(step: Step) -> list[Any]:
    match step:
        case Value(value):
            return ["value", _argument(value)]
        case Call(target, args, kwargs):
            return ["call", _argument(target), [_argument(a) for a in args], {k: _argument(v) for k, v in kwargs}]
        case Apply(helper, args, kwargs):
            return ["apply", helper, [_argument(a) for a in args], {k: _argument(v) for k, v in kwargs}]
        case Own(name, otherwise):
            return ["own", name, otherwise, step.module if isinstance(step, LocatedOwn) else None]


def _argument(value: Any) -> Any:
    match value:
        case Array():
            flags = frames.STRIDED if value.layout == "strided" else 0
            return frames.Block(value.values, flags | (frames.REQUIRES_GRAD if value.requires_grad else 0))
        case Ref():
            return frames.StepRef(value.step)
        case list():
            return [_argument(entry) for entry in value]
        case tuple():
            return tuple(_argument(entry) for entry in value)
        case dict():
            return {key: _argument(entry) for key, entry in value.items()}
    return value


def encode_value(value: Any) -> Any:
    """The inverse of ``decode_value``."""
    match value:
        case Array(values, container, dtype=dtype):
            flags = {"torch": frames.TORCH, "scalar": frames.SCALAR}.get(container, 0)
            if dtype == "bfloat16":
                return frames.Block((values.view(np.uint32) >> 16).astype(np.uint16), flags | frames.BFLOAT16)
            return frames.Block(values, flags)
        case list():
            return [encode_value(entry) for entry in value]
        case tuple():
            return tuple(encode_value(entry) for entry in value)
        case dict():
            return {key: encode_value(entry) for key, entry in value.items()}
    return value


def decode_value(value: Any) -> Any:
    """A value from the wire, with arrays as ``Array``. Raises FrameError for values that results cannot have."""
    match value:
        case frames.Block(array, flags):
            container: Literal["numpy", "torch", "scalar"] = "numpy"
            if flags & frames.TORCH:
                container = "torch"
            elif flags & frames.SCALAR:
                container = "scalar"
            if flags & frames.BFLOAT16 and array.dtype == np.uint16:
                wide = (array.astype(np.uint32) << 16).view(np.float32)
                return Array(wide, container, dtype="bfloat16")
            return Array(array, container, dtype=str(array.dtype))
        case list():
            return [decode_value(entry) for entry in value]
        case tuple():
            return tuple(decode_value(entry) for entry in value)
        case dict():
            return {key: decode_value(entry) for key, entry in value.items()}
        case frames.StepRef() | bytes():
            raise frames.FrameError("no value of the contract")
    return value


# ----------------------------------------------------------------------------------------- observing


@dataclass(frozen=True, slots=True)
class ChildTask:
    """Work that gets one answer: loading ``module``, or running the program at ``index``."""

    module: str
    index: int | None = None
    program: Program | None = None

    @property
    def during(self) -> Literal["import", "call"]:
        """When it runs learner code."""
        return "import" if self.program is None else "call"


@dataclass(slots=True)
class _Clock:
    """Seconds of CPU time and of wall time."""

    cpu: float = 0.0
    wall: float = 0.0

    def reached(self, cpu: float, wall: float) -> bool:
        """Whether either clock has reached its limit, in seconds."""
        return self.cpu >= cpu or self.wall >= wall


@dataclass(slots=True)
class _Run:
    """The state of one ``observe``."""

    job: Job
    limits: Limits
    found: dict[int, Observation] = field(default_factory=dict)
    printed: dict[int, str] = field(default_factory=dict)
    lost_modules: dict[str, Observation] = field(default_factory=dict)
    failed_cells: dict[str, Observation] = field(default_factory=dict)
    absent: dict[str, Absent] = field(default_factory=dict)
    groups: dict[str, _Clock] = field(default_factory=dict)
    full: set[str] = field(default_factory=set)  # groups in which a call ran out of memory
    slow: set[str] = field(default_factory=set)  # groups whose programs are sent one at a time
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
    def after(cls, past: Past, job: Job, limits: Limits, packer: StepsPacker) -> _Run:
        """A run that continues from what the submission's earlier jobs used."""
        run = cls(job, limits, total=_Clock(past.cpu, past.wall), packer=packer)
        run.received, run.deaths, run.hidden = past.received, past.deaths, past.hidden
        return run

    def past(self) -> Past:
        """What the submission's next job needs to know."""
        return Past(self.total.cpu, self.total.wall, self.received, self.deaths, self.hidden)

    def remaining(self) -> list[ChildTask]:
        """The tasks that are left, each file before its first program. Settles programs that cannot be run."""
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
        needed = {module for task in tasks if task.program is not None for module in _modules(task.program)}
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

    A child killed from outside, as by the kernel when memory is short, is replaced once, and its task starts again.
    The second time this raises SandboxKilled: that is never the learner's fault. Raises SandboxError for our own.
    """
    run = _Run.after(job.past, job, limits, packer or StepsPacker())
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
            lost.past = run.past()
            raise
    ordered = tuple(run.found[index] for index in range(len(job.programs)))
    used = run.total.cpu - job.past.cpu
    absent = tuple(run.absent.values())
    printed = tuple(run.printed.get(index, "") for index in range(len(job.programs))) if run.printed else ()
    return Observed(ordered, run.layers, children.unsafe, run.versions, used, run.past(), absent, printed)


def _in_a_child(run: _Run, children: ChildFactory, tasks: list[ChildTask]) -> None:
    """Starts a child and sends it ``tasks`` until all are answered or the child ends."""
    cpu = int(run.limits.total_cpu - run.total.cpu) + 2
    with contextlib.closing(children.start(encode_files(run.job), cpu, run.limits)) as child:
        try:
            _greet(run, child, run.limits)
            done = _serve(run, child, tasks, together=not children.unsafe)
        except Ended as end:  # what it used for its last task is not charged: that task is run again
            if run.killed:
                raise SandboxKilled(_KILLED) from end
            run.killed, done = True, False
        except _TooSlow as slow:  # the same, and it was our decision to end the child
            run.received += slow.received
            return
        run.deaths += not done
        run.received += child.received


_KILLED = Text(
    "could not be graded: something outside killed the process that ran this code, twice. Usually the machine is short "
    "of memory: one submission may need 1.5 GB of free memory. Close other programs, or use fewer --workers, and run "
    "it again",
    "无法评分：运行这段代码的进程两次被外部终止。通常是因为机器内存不足：一份提交可能需要 1.5 GB 空闲内存。"
    "请关闭其他程序，或减少 --workers，然后重新运行",
)
_NOT_READY = Text("the sandboxed child was not ready after {seconds:g} s", "沙箱子进程在 {seconds:g} 秒后仍未就绪")
_ENDED_EARLY = Text(
    "the sandboxed child ended before it was ready ({error})", "沙箱子进程在就绪之前就结束了（{error}）"
)
_NOT_CONFINED = Text("the sandboxed child could not be confined: {error}", "无法限制沙箱子进程：{error}")


def _greet(run: _Run, child: Child, limits: Limits) -> None:
    """Waits for HELLO. No learner code runs before it, so if it does not come, that is our fault.

    Raises SandboxError in that case, and Ended if something outside killed the child.
    """
    until = child.wall_seconds() + child.patience
    try:
        while (got := child.receive(max(POLL_SECONDS, until - child.wall_seconds()), limits.result_bytes)) is None:
            if (over := child.wall_seconds() - until) >= 0 and child.stuck(over):
                raise SandboxError(_NOT_READY.fill(seconds=child.patience))
    except (Ended, Garbled, Oversized) as error:
        if isinstance(error, Ended) and error.outside:
            raise
        raise SandboxError(_ENDED_EARLY.fill(error=error)) from error
    kind, value = got
    if kind != frames.HELLO:
        raise SandboxError(_NOT_CONFINED.fill(error=value))
    run.layers = tuple(value["layers"])
    run.versions = tuple(sorted(value["versions"].items()))


#: Seconds of CPU time and of wall time that programs which are sent together may use.
_TOGETHER = _Clock(0.25, 1.0)
#: Groups of a job that may be too slow for that: what their programs used then is not charged, so it has to be bounded.
_MOST_SLOW = 4


class _TooSlow(Exception):
    """Programs that were sent together were not all answered, or not soon enough.

    Whatever they answered and used does not count; they are sent again, one at a time, to another child. ``received``
    is how many bytes the child had sent before.
    """

    def __init__(self, received: int) -> None:
        super().__init__()
        self.received = received


def _serve(run: _Run, child: Child, tasks: list[ChildTask], *, together: bool) -> bool:
    """Sends the tasks. True if all were answered, False if the child ended or was killed. May raise _TooSlow.

    If ``together``, the public programs of a group are sent in one message, and so are its hidden ones. Everything else
    is sent one at a time. While the last answer to a message is waiting here, the child is idle, so its clocks show
    what the message cost, however late it is read; and all of it is charged to one group. That is all that is needed as
    long as no limit is near. Which call reaches a limit is only decided by messages with one task.
    """
    number = 0
    run.read = child.cpu_seconds()  # before the first task: what the child uses from here on is the learner's
    for _, group in itertools.groupby(in_order(tasks), lambda task: _message(run, task) if together else id(task)):
        sent = [task for task in group if task.module not in run.lost_modules]
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


def _message(run: _Run, task: ChildTask) -> Hashable:
    """Equal for tasks that may be sent in one message."""
    if task.program is None or task.program.group in run.slow or len(run.slow) >= _MOST_SLOW:
        return id(task)
    return task.program.group, task.program.hidden


def _settle_together(run: _Run, child: Child, number: int, tasks: list[ChildTask]) -> int:
    """Waits for the answers to programs of one group, records them, and charges what they cost.

    Raises _TooSlow, with nothing recorded or charged, unless all were answered, the child can still be used, and they
    used so little that no limit was near. ``number`` is that of the first task; returns that of the next one. Whether
    the child can still be used is asked, by loading the file again, since code that ends it may answer first.
    """
    allowed = run.allowance(tasks[0])
    most = _Clock(min(allowed[0], _TOGETHER.cpu), min(allowed[1], _TOGETHER.wall))
    cpu_before, wall_before, received = run.read, child.wall_seconds(), child.received
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
        run.slow |= {task.program.group for task in tasks if task.program is not None}
        raise _TooSlow(received)
    run.charge(tasks[0], used.cpu, used.wall)
    for task, observation in zip(tasks, found, strict=True):
        run.settle(task, observation)
    return after + 1


def _goes_on(observation: Observation) -> bool:
    """Whether a child that gave this answer can be used for the next program of the group."""
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
            # Filling the memory takes a third of the group's time, or more on a busy machine. If the group continued,
            # that would decide which call reaches which limit, and a second run would give another result.
            run.settle(task, observation)
            run.full.add(task.program.group)
            return False
        case _:
            run.settle(task, observation)
            return not isinstance(observation, (TimedOut, Died)) and observation != Unreadable("protocol")


def _answer(run: _Run, child: Child, number: int, task: ChildTask, until: _Clock) -> Observation | None:
    """What became of one task; None for a file that loaded. ``until`` is what the child's clocks may show at the end.

    The wall clock ends only a child that sleeps. One that the machine keeps waiting is left to its CPU clock. Raises
    Ended if something outside killed the child.
    """
    while True:
        wall_left, cpu_left = until.wall - child.wall_seconds(), until.cpu - child.cpu_seconds()
        try:
            room = run.limits.total_bytes - run.received - child.received
            patience = min(max(wall_left, POLL_SECONDS), max(cpu_left, 0.005))
            got = child.receive(patience, min(run.limits.result_bytes, room))
            if got is not None:
                return _observation(run, got, number, task)
        except Ended as end:
            if end.outside:
                raise
            if end.cpu_limit:
                return TimedOut(run.limits.total_cpu, "cpu", task.during)
            return Died(end.signal, end.code, task.during)
        except Oversized:
            child.kill()
            return TooBig(-1)
        except Garbled:
            child.kill()
            return Unreadable("protocol")
        if child.cpu_seconds() >= until.cpu:
            child.kill()
            return TimedOut(_allowed(run, task, "cpu"), "cpu", task.during)
        if (over := child.wall_seconds() - until.wall) >= 0 and child.stuck(over):
            child.kill()
            return TimedOut(_allowed(run, task, "wall"), "wall", task.during)


def _allowed(run: _Run, task: ChildTask, clock: Literal["cpu", "wall"]) -> float:
    """The limit that ``task`` reached, in seconds: its own, or the submission's if that was reached first."""
    own: float = getattr(run.limits, f"group_{clock}" if task.program else f"import_{clock}")
    total: float = getattr(run.limits, f"total_{clock}")
    used = run.groups.get(task.program.group, _Clock()) if task.program else _Clock()
    return own if own - getattr(used, clock) <= total - getattr(run.total, clock) else total


def _observation(run: _Run, got: tuple[int, Any], number: int, task: ChildTask) -> Observation | None:
    """A frame as an observation; None for a file that loaded. Raises Garbled if it does not answer ``task``."""
    kind, value = got
    try:
        if value["task"] != number or kind not in (_TO_LOAD if task.program is None else _TO_RUN):
            raise Garbled("an answer to something else")
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
                    raise Garbled("another number of values")
                return Returned(values)
            case frames.RAISED:
                # The task decides when it was, not the child: text from loading may be shown.
                return _raised(run, value, task.during)
            case frames.UNREADABLE:
                if value["reason"] == "undefined" and task.module in run.failed_cells:
                    return run.failed_cells[task.module]
                return Unreadable(_text(value["reason"], 40), tuple(_text(d, 200) for d in value["detail"][:40]))
            case _:
                return TooBig(run.limits.result_bytes)
    except (KeyError, TypeError, IndexError, AttributeError, frames.FrameError) as error:
        raise Garbled("a frame with other fields") from error


_TO_LOAD = (frames.LOADED, frames.RAISED)
_TO_RUN = (frames.RETURNED, frames.RAISED, frames.UNREADABLE, frames.TOO_BIG)


def _raised(run: _Run, value: dict[str, Any], during: Literal["import", "call"]) -> Raised:
    """An exception as the child describes it. Its place is kept only if the submission has such a line."""
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


def _absent(run: _Run, entries: Any) -> Iterator[Absent]:
    """The modules reported absent, each only if the submission names it in that line."""
    lines = {part.label: part.text.split("\n") for file in run.job.files for part in file.parts}
    for entry in entries[:_MOST_ABSENT]:
        if not isinstance(entry, list) or len(entry) != 3:
            raise Garbled("something other than a module and its place")
        module, file, line = entry
        there = lines.get(file, []) if type(file) is str else []
        words = _text(module, 100).split(".")
        asked = type(line) is int and 0 < line <= len(there) and words[0] in there[line - 1]
        if asked and all(word.isidentifier() for word in words):
            yield Absent(".".join(words), file, line)


def _text(value: Any, limit: int) -> str:
    if not isinstance(value, str):
        raise Garbled("something that is not text")
    return value[:limit]


# ------------------------------------------------------------------------------------------- sandbox


class Sandbox:
    """Where learner code runs: children of one zygote, or in plain mode a new interpreter for each job."""

    def __init__(self, mode: Mode, settings: ZygoteSettings) -> None:
        self._mode = mode
        self._settings = settings
        self._children: ChildFactory | None = None
        self._zygote: Zygote | None = None
        self._confined = False  # once code was confined, no code is run unconfined
        self._libraries: Snapshot | None = None
        self._packer = StepsPacker()

    def start(self) -> None:
        """Starts importing torch in the background; returns without waiting for it."""
        with contextlib.suppress(ZygoteLost):  # killed at once: started again when needed
            self._begin()

    def _begin(self) -> None:
        if self._zygote is not None or self._children is not None:
            return
        if self._mode == "plain":
            self._start_plain()
        else:
            try:
                self._zygote = Zygote.launch(self._settings)
                # It takes longer to import torch than this takes, so the zygote started with what is listed here.
                self._libraries = self._libraries or Snapshot.take(self._zygote.places)
            except SandboxUnavailable as error:
                self._fall_back(error)

    def _fall_back(self, error: SandboxUnavailable) -> None:
        if self._mode == "require" or self._confined:
            raise error
        self._start_plain()

    def _start_plain(self) -> None:
        self._libraries = self._libraries or Snapshot.take(policy.packages(self._settings.packages).values())
        self._children = PlainChildFactory(self._settings.preload)

    def children(self) -> ChildFactory:
        """What starts children; waits until it is ready. In mode ``require``, may raise SandboxUnavailable."""
        self._begin()
        if self._children is None and self._zygote is not None:
            try:
                self._zygote.wait_until_ready()
                self._children = self._zygote
                self._confined = True
            except SandboxUnavailable as error:
                self._zygote.close()
                self._zygote = None
                self._fall_back(error)
        assert self._children is not None
        return self._children

    def allow(self, packages: tuple[str, ...]) -> None:
        """Lets submissions import these packages, too. Raises CourseError for one not installed or not allowed."""
        if packages == self._settings.packages:
            return
        policy.packages(packages)
        started = self._zygote is not None
        self.close()
        self._settings = replace(self._settings, packages=packages)
        self._libraries = None
        if started:
            self.start()

    @property
    def unsafe(self) -> bool:
        """Whether learner code runs unconfined."""
        return self.children().unsafe

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that confine learner code."""
        self.children()
        return self._zygote.layers if self._zygote is not None else ()

    def expect(self, libraries: str) -> None:
        """Starts the sandbox. Raises LibrariesChanged if the digest of its libraries is not ``libraries``."""
        self._begin()
        if self._libraries is not None and self._libraries.digest != libraries:
            self.close()
            raise LibrariesChanged(CHANGED.fill(path=OTHER_FILES))

    def observe(self, job: Job, limits: Limits) -> Observed:
        """Runs ``job``. If the zygote dies, it is replaced once and the job runs again within what is left of it.

        Raises LibrariesChanged if the libraries are not as they were when the sandbox started: the result may be due
        to that.
        """
        seen = self.observe_unverified(job, limits)
        self.verify()
        return seen

    def observe_unverified(self, job: Job, limits: Limits) -> Observed:
        """The same, for callers that call ``verify`` themselves before they use a result that is not a success.

        What changed libraries do to correct code is to make it fail. A success needs no comparison, which takes some
        milliseconds.
        """
        try:
            return self._observe(job, limits)
        except SandboxError:
            self.verify()  # if they changed, that is why
            raise

    def verify(self) -> None:
        """Raises LibrariesChanged if the libraries are not as they were when the sandbox started."""
        if self._libraries is not None:
            self._libraries.verify()

    def _observe(self, job: Job, limits: Limits) -> Observed:
        try:
            return observe(self.children(), job, limits, self._packer)
        except ZygoteLost as lost:
            self.close()
            job = replace(job, past=lost.past or job.past)
        try:
            return observe(self.children(), job, limits, self._packer)
        except ZygoteLost:
            self.close()
            raise

    def close(self) -> None:
        """Ends the zygote and everything in it."""
        if self._zygote is not None:
            self._zygote.close()
        self._zygote = self._children = None


@contextlib.contextmanager
def open_sandbox(*, mode: Mode = "auto", settings: ZygoteSettings | None = None) -> Iterator[Sandbox]:
    """A sandbox for a ``with`` statement. ``auto`` falls back to plain mode where code cannot be confined."""
    sandbox = Sandbox(mode, settings or ZygoteSettings())
    try:
        yield sandbox
    finally:
        sandbox.close()

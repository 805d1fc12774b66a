"""A job as tasks for the child, and tasks, arguments and results as the values that frames carry.

The order of tasks is part of what keeps hidden inputs hidden; see ``send_order``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from grader.core.cache import SizedCache
from grader.core.model import (
    Apply,
    Array,
    Call,
    Job,
    Limits,
    LocatedOwn,
    Own,
    Probing,
    Program,
    Ref,
    SourceFile,
    Step,
    Value,
)
from grader.sandbox.inside import frames


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


def encode_files(job: Job) -> bytes:
    """The JOB frame: the submission's files, whether they get probes, and whether they load more of torch."""
    probed, late = any(program.probing is not None for program in job.programs), loads_late(job)
    files = [
        {
            "module": f.module,
            "parts": [[p.label, p.text] for p in f.parts],
            "is_package": f.is_package,
            "futures": list(f.futures),
            "probed": probed,
            "late": late,
        }
        for f in job.files
    ]
    return frames.frame(frames.JOB, files)


#: What loads 800 modules of torch when it first runs, which takes a second of CPU time.
_LATE = ("torch.func", "functorch", "checkpoint")


def loads_late(job: Job) -> bool:
    """Whether the files that its programs run, or files that these name, use something of ``_LATE``."""
    texts = {file.module: "\n".join(part.text for part in file.parts) for file in job.files}
    late = {module for module, text in texts.items() if any(word in text for word in _LATE)}
    waiting, reached = {task.module for task in tasks_of(job)} if late else set[str](), set[str]()
    while waiting and not reached & late:
        reached |= waiting
        read = " ".join(texts.get(module, "") for module in waiting)
        waiting = {module for module in texts.keys() - reached if module.rpartition(".")[2] in read}
    return bool(reached & late)


class StepsPacker:
    """Packs the steps of programs, and caches the most recent ones: a class runs the same programs for every learner.

    Steps are recognised by identity, because comparing their arrays would take longer than packing them.
    """

    def __init__(self, most: int = 32 << 20) -> None:
        """Keeps at most ``most`` bytes."""
        self._known = SizedCache[int, tuple[tuple[Step, ...], bytes]](most)

    def pack(self, steps: tuple[Step, ...]) -> bytes:
        """The packed ``steps``. The cache keeps the steps alive, so that no others can get their identity."""
        known = self._known.get(id(steps))
        if known is None:
            known = steps, frames.pack_tasks([_step(step) for step in steps])
            self._known.put(id(steps), known, len(known[1]))
        return known[1]


def encode_tasks(tasks: Iterable[ChildTask], limits: Limits, packer: StepsPacker | None = None) -> bytes:
    """A TASKS frame. The steps of each program are packed on their own."""
    packer = packer or StepsPacker()
    values = [_task(task, limits, packer.pack) for task in tasks]
    return frames.framed(frames.TASKS, frames.pack_tasks(values))


def task_values(tasks: Iterable[ChildTask], limits: Limits) -> list[Any]:
    """Tasks as plain values, with all steps; ``frames.encode`` gives the same bytes for equal tasks."""
    return [_task(task, limits, lambda steps: [_step(step) for step in steps]) for task in tasks]


def tasks_of(job: Job) -> list[ChildTask]:
    """A task for every file that the programs of ``job`` need, then one for each program."""
    programs = [_with_modules(program, job.files) for program in job.programs]
    modules = dict.fromkeys(module for program in programs for module in modules_of(program))
    runs = [ChildTask(program.module, index, program) for index, program in enumerate(programs)]
    return [*(ChildTask(module) for module in modules), *runs]


def modules_of(program: Program) -> list[str]:
    """The modules whose names the program uses."""
    others = [step.module for step in program.steps if isinstance(step, LocatedOwn)]
    return [program.module, *others]


def _with_modules(program: Program, files: tuple[SourceFile, ...]) -> Program:
    """The program; ``Own`` steps whose names are defined only in another file get the module of that file."""

    if not any(isinstance(step, Own) for step in program.steps):
        return program

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


def send_order(tasks: Iterable[ChildTask]) -> list[ChildTask]:
    """The tasks in the order in which they are sent: files, then public cases, then hidden ones.

    The child has nothing of a hidden case until it has answered everything else. So the text of an exception at import
    or in a public case, which is shown, cannot contain a hidden input.
    """
    return sorted(tasks, key=lambda task: 0 if task.program is None else 1 + task.program.hidden)


def _task(task: ChildTask, limits: Limits, encode_steps: Callable[[tuple[Step, ...]], Any]) -> list[Any]:
    """A task as the child reads it (see ``inside``); ``encode_steps`` encodes the steps."""
    if task.program is None:
        return ["load", task.module]
    program = task.program
    steps = encode_steps(program.steps)
    asked = [] if program.probing is None else [_probing(program.probing)]
    run = ["run", program.module, program.array_type, program.seed, steps, list(program.send), limits.result_bytes]
    return [*run, *asked]


def _probing(probing: Probing) -> list[Any]:
    """The arguments of ``inside.probing.search`` besides the program."""
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
    return _converted(value, _argument)


def _converted(value: Any, convert: Callable[[Any], Any]) -> Any:
    """``value`` with everything converted that it holds, if it is a list, a tuple or a mapping."""
    match value:
        case list():
            return [convert(entry) for entry in value]
        case tuple():
            return tuple(convert(entry) for entry in value)
        case dict():
            return {key: convert(entry) for key, entry in value.items()}
    return value


def encode_value(value: Any) -> Any:
    """The inverse of ``decode_value``."""
    match value:
        case Array(values, container, dtype=dtype):
            flags = {"torch": frames.TORCH, "scalar": frames.SCALAR}.get(container, 0)
            if dtype == "bfloat16":
                return frames.Block((values.view(np.uint32) >> 16).astype(np.uint16), flags | frames.BFLOAT16)
            return frames.Block(values, flags)
    return _converted(value, encode_value)


@functools.cache
def _name(dtype: np.dtype[Any]) -> str:
    """The name of a dtype; cached, because NumPy takes long to format it."""
    return str(dtype)


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
            return Array(array, container, dtype=_name(array.dtype))
        case frames.StepRef() | bytes():
            raise frames.FrameError("not a value of the contract")
    return _converted(value, decode_value)

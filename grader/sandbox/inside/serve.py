"""What a child does after confinement: receives the files, answers tasks in order, and ends."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from . import elsewhere, forbidding, frames, probing, programs
from .errors import InvalidResult, ResultTooBig
from .instrument import Probes
from .loading import Failure, SourceFinder, SourceModule, namespace


def read_exactly(fd: int, count: int) -> bytearray:
    """``count`` bytes from ``fd``; fewer only at its end."""
    data = bytearray(count)
    view, at = memoryview(data), 0
    while at < count:
        got = os.readv(fd, [view[at:]])
        if got == 0:
            break
        at += got
    return data[:at] if at < count else data


def send(fd: int, kind: int, value: object) -> None:
    """Writes one whole frame."""
    write(fd, frames.frame(kind, value))


def write(fd: int, data: bytes | bytearray) -> None:
    """Writes all of ``data``."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read_frame(fd: int, wanted: int) -> Any:
    """The value of the next frame, which must be of the kind ``wanted``; None at the end of the stream.

    Frames come from the grader, so they are well-formed unless the pipe broke. Raises FrameError otherwise.
    """
    header = read_exactly(fd, frames.HEADER.size)
    if len(header) < frames.HEADER.size:
        return None
    kind, length = frames.HEADER.unpack(header)
    if kind != wanted:
        raise frames.FrameError(f"a frame of kind {kind}")
    body = read_exactly(fd, length)
    return frames.unpack_tasks(body) if kind == frames.TASKS else frames.decode(body)


def versions() -> dict[str, str]:
    """The versions of Python, NumPy and torch."""
    return {"python": sys.version.split()[0], "numpy": np.__version__, "torch": str(torch.__version__)}


def serve(jobs: int, results: int, layers: list[str]) -> None:
    """Reads the files, greets, reads lists of tasks from descriptor ``jobs``, and answers on ``results``."""
    elsewhere.follow_threads()
    with captured() as printed:
        session = ChildSession(read_frame(jobs, frames.JOB), results, printed)
        # Only now, because the clocks start when the grader has read it.
        send(results, frames.HELLO, {"layers": layers, "versions": versions()})
        while (tasks := read_frame(jobs, frames.TASKS)) is not None:
            session.answer(tasks)
        forbidding.lift()


#: Answers wait for the next one until they have this many bytes: about what fits into a pipe.
_SMALL = 1 << 16
#: How many absent modules are reported.
_MOST_ABSENT = 20


class ChildSession:
    """One submission's files, and the answers to tasks about them."""

    def __init__(self, files: list[dict[str, Any]], results: int, printed: CapturedOutput) -> None:
        """Answers are written to descriptor ``results``, with what was ``printed`` during each."""
        sources = [SourceModule(f["module"], f["parts"], f["is_package"], f.get("futures", ())) for f in files]
        self._library = SourceFinder(sources, Probes() if any(f.get("probed") for f in files) else None)
        self._failed: dict[str, Failure] = {}
        self._results = results
        self._printed = printed
        self._answered = 0
        if any(f.get("late") for f in files):
            importlib.import_module("torch._dynamo")  # before the submission's files can take the place of others
        sys.meta_path.insert(0, self._library)

    def answer(self, tasks: list[Any]) -> None:
        """Writes one frame for each task, numbered through all lists. Small frames are written together."""
        waiting = bytearray()
        for number, (kind, module, *rest) in enumerate(tasks, self._answered):
            self._printed.take()  # what was printed in between belongs to no task
            answer, values = self._load(module) if kind == "load" else self._run(module, rest)
            fields = {"task": number, **values}
            if printed := self._printed.take():
                fields["printed"] = printed
            waiting += frames.frame(answer, fields)
            if len(waiting) >= _SMALL:
                write(self._results, waiting)
                waiting = bytearray()
        self._answered += len(tasks)
        write(self._results, waiting)

    def _load(self, module: str) -> tuple[int, dict[str, Any]]:
        try:
            namespace(module)
        except BaseException as error:
            self._failed[module] = Failure.of(error, self._library.labels)
            return _raised(self._failed[module])
        failures = self._library.sources[module].failures
        absent = [[name, *place] for name, place in self._library.absent.items()]
        return frames.LOADED, {
            "failures": [asdict(Failure.of(each, self._library.labels)) for each in failures[:1]],
            "absent": absent[:_MOST_ABSENT],
        }

    def _run(self, module: str, rest: list[Any]) -> tuple[int, dict[str, Any]]:
        if module in self._failed:
            return _raised(self._failed[module])
        array_type, seed, packed_steps, wanted, limit, *asked = rest
        steps = frames.unpack_tasks(packed_steps)
        names = namespace(module)
        called = [step[1] for step in steps if step[0] == "call" and isinstance(step[1], str)]
        called += [step[1] for step in steps if step[0] == "own" and step[2] is None]
        if any(name not in names for name in called):
            return frames.UNREADABLE, {"reason": "undefined", "detail": [n for n in called if n not in names]}
        place = self._library.defined(module, called[0]) if called else None
        done: list[Any] = []
        try:
            for name in called:
                if unfit := not_callable(names, name, self._library.defined(module, name)):
                    raise unfit
            kind = programs.as_array_type(array_type)
            if asked and self._library.recorder is not None:
                explored = probing.search(
                    lambda: programs.run(names, kind, seed, steps, wanted), self._library.recorder, asked[0]
                )
                return frames.RETURNED, {"values": [explored]}
            values = programs.run(names, kind, seed, steps, wanted, done)
            packed = programs.pack(values, limit)
            return frames.RETURNED, {"values": packed}
        except ResultTooBig:
            return frames.TOO_BIG, {"limit": limit}
        except BaseException as error:
            failure = Failure.of(error, self._library.labels)
            if (refused := forbidding.refused()) is not None:
                detail = [refused, *([] if failure.file is None else [failure.file, str(failure.line)])]
                return frames.UNREADABLE, {"reason": "forbidden", "detail": detail}
            found = wrong_kind(names, steps, wanted, len(done), error, place) or error
            if isinstance(found, InvalidResult):
                return frames.UNREADABLE, {"reason": found.reason, "detail": found.detail}
            return _raised(failure)


def _raised(failure: Failure) -> tuple[int, dict[str, Any]]:
    return frames.RAISED, asdict(failure)


def warm_up() -> None:
    """Runs the usual operations once each, so that their first-time costs are paid before any fork."""
    elsewhere.switch()
    x = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4).requires_grad_()
    for dtype in (torch.float32, torch.float64):
        y = x.to(dtype)
        scores = torch.softmax((y @ y.transpose(-2, -1)).masked_fill(y[..., :3] < 1, float("-inf")), dim=-1)
        output = torch.nan_to_num(scores) @ y
        torch.autograd.grad(torch.einsum("bij,bjk->bik", output, y.transpose(1, 2)).sum(), x, allow_unused=True)
        torch.nn.functional.scaled_dot_product_attention(y, y, y)
        torch.nn.Linear(4, 4, dtype=dtype)(y).sum().backward()
    a = np.arange(12.0).reshape(3, 4)
    np.exp(a - a.max(-1, keepdims=True)) / np.einsum("ij,kj->ik", a, a).sum()
    np.random.default_rng(0).standard_normal(3)
    block = frames.Block(a, frames.REQUIRES_GRAD | frames.STRIDED)
    frames.decode(frames.encode(programs.pack(programs.unwrap(block, "torch"), 1 << 20)))
    programs.run({"identity": lambda value: value}, "torch", 0, [["call", "identity", [block], {}]], [0])


# ----------------------------------------------------------------------------- names of the wrong kind
# A class where a function was expected, the reverse, or nothing callable.


MaybeLocation = tuple[str, int] | None


def not_callable(names: dict[str, Any], name: str, place: MaybeLocation) -> InvalidResult | None:
    """The error if ``name`` cannot be called; else None."""
    found = names[name]
    return None if callable(found) else InvalidResult("not-callable", name, type(found).__name__, *_words(place))


def wrong_kind(
    names: dict[str, Any], steps: list[Any], send: list[int], done: int, error: BaseException, place: MaybeLocation
) -> InvalidResult | None:
    """The error if the steps ended with ``error`` after ``done`` steps because the called name is of the wrong kind.

    A class in place of a function can only return an instance. A function in place of a class may return a suitable
    object, so it is at fault only if that call itself fails, or if its result cannot be called.
    """
    at = next((at for at, (op, target, *_) in enumerate(steps) if op == "call" and isinstance(target, str)), None)
    if at is None or done < at or isinstance(error, (ValueError, MemoryError)) or not isinstance(error, Exception):
        return None
    name = steps[at][1]
    is_class = isinstance(names[name], type)
    if not any(step[0] == "apply" and step[1] == "ready" for step in steps):
        makes_instances = bool(send) and is_class and names[name].__new__ is object.__new__
        return InvalidResult("class", name, *_words(place)) if makes_instances else None
    bare = isinstance(error, InvalidResult) and error.reason == "no-forward"
    if not is_class and (bare or (done == at and isinstance(error, (TypeError, AttributeError, IndexError)))):
        return InvalidResult("function", name, *_words(place))
    return None


def _words(place: MaybeLocation) -> tuple[str, ...]:
    return () if place is None else (place[0], str(place[1]))


# ---------------------------------------------------------------------------- what learner code prints
# Keeps the beginning of what learner code prints, one program at a time.


#: How many bytes of each program's output are kept; the rest is dropped.
MAX_BYTES = 8192


class CapturedOutput(io.RawIOBase):
    """The binary stream below ``sys.stdout`` and ``sys.stderr``: its first bytes are kept until they are taken."""

    def __init__(self) -> None:
        super().__init__()
        self._kept = bytearray()

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The descriptor of the null device, where all other output goes."""
        return 1

    def write(self, data: Any) -> int:
        """Keeps as much as there is room for; returns the full length, as if everything were written."""
        view = memoryview(data).cast("B")
        self._kept += view[: max(0, MAX_BYTES - len(self._kept))]
        return len(view)

    def take(self) -> str:
        """What was written since the last call."""
        kept, self._kept = bytes(self._kept), bytearray()
        return kept.decode("utf-8", "replace")


@contextlib.contextmanager
def captured() -> Iterator[CapturedOutput]:
    """Replaces stdout and stderr by one stream, so that their lines stay in order."""
    printed = CapturedOutput()
    stream = io.TextIOWrapper(printed, "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = stream
    try:
        yield printed
    finally:
        sys.stdout, sys.stderr = before

"""The child's life after confinement: read the job, answer its tasks in order, end."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from . import frames, programs
from .loading import Failure, Library, Source, namespace
from .refusals import TooBig, Unfit


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
    """One frame, whole."""
    view = memoryview(frames.frame(kind, value))
    while view:
        view = view[os.write(fd, view) :]


def read_job(fd: int) -> dict[str, Any]:
    """The job frame. Comes from the grader, so it is well-formed or the pipe broke."""
    kind, length = frames.HEADER.unpack(read_exactly(fd, frames.HEADER.size))
    if kind != frames.JOB:
        raise frames.FrameError("not a job")
    job: dict[str, Any] = frames.decode(read_exactly(fd, length))
    return job


def versions() -> dict[str, str]:
    """What the learner's code runs on."""
    return {"python": sys.version.split()[0], "numpy": np.__version__, "torch": str(torch.__version__)}


def serve(job: dict[str, Any], results: int) -> None:
    """Answers every task of ``job`` on the descriptor ``results``."""
    library = Library([Source(f["module"], f["parts"], f["is_package"]) for f in job["files"]])
    sys.meta_path.insert(0, library)
    failed: dict[str, Failure] = {}
    for number, (kind, module, *rest) in enumerate(job["tasks"]):
        if kind == "load":
            answer = _load(library, module, failed)
        elif module in failed:
            answer = _raised(failed[module], "import")
        else:
            answer = _run(library, module, rest)
        send(results, answer[0], {"task": number, **answer[1]})


def _load(library: Library, module: str, failed: dict[str, Failure]) -> tuple[int, dict[str, Any]]:
    try:
        namespace(library, module)
    except BaseException as error:
        failed[module] = Failure.of(error, library.labels)
    return frames.LOADED, {}


def _raised(failure: Failure, during: str) -> tuple[int, dict[str, Any]]:
    return frames.RAISED, {"during": during, **asdict(failure)}


def _run(library: Library, module: str, rest: list[Any]) -> tuple[int, dict[str, Any]]:
    array_type, seed, steps, wanted, limit = rest
    names = namespace(library, module)
    source = library.sources[module]
    called = [step[1] for step in steps if step[0] == "call" and isinstance(step[1], str)]
    if any(name not in names for name in called):
        if source.failures:  # a notebook cell failed before it defined the name
            return _raised(Failure.of(source.failures[0], library.labels), "import")
        return frames.UNREADABLE, {"reason": "undefined", "detail": [n for n in called if n not in names]}
    try:
        values = programs.run(names, programs.as_array_type(array_type), seed, steps, wanted)
        packed = programs.pack(values, limit)
        return frames.RETURNED, {"values": packed}
    except Unfit as error:
        return frames.UNREADABLE, {"reason": error.reason, "detail": error.detail}
    except TooBig:
        return frames.TOO_BIG, {"limit": limit}
    except BaseException as error:
        return _raised(Failure.of(error, library.labels), "call")


def warm_up() -> None:
    """The usual operations once each, so that their first-time costs are paid before any fork."""
    from .programs import pack, run, unwrap

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
    frames.decode(frames.encode(pack(unwrap(block, "torch"), 1 << 20)))
    run({"identity": lambda value: value}, "torch", 0, [["call", "identity", [block], {}]], [0])

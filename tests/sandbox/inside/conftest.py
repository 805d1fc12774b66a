"""Runs the child's code in this process, and restores everything that it changes."""

from __future__ import annotations

import linecache
import os
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from grader.sandbox.inside import frames, serve

Answers = list[tuple[int, Any]]


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Imports, random generators, precision, warnings and limits as they were."""
    meta_path, path, modules, lines = sys.meta_path[:], sys.path[:], dict(sys.modules), dict(linecache.cache)
    limit, states = sys.getrecursionlimit(), (random.getstate(), np.random.get_state(), torch.get_rng_state())
    with warnings.catch_warnings(), np.errstate(), np.printoptions():
        yield
    sys.meta_path[:], sys.path[:] = meta_path, path
    for name in set(sys.modules) - set(modules):
        # Only what a submission brought along: a C extension that is imported twice does not survive it.
        file = getattr(sys.modules[name], "__file__", None)
        if file is None or not os.path.isabs(file):
            del sys.modules[name]
    for name, module in modules.items():
        sys.modules[name] = module
    linecache.cache.clear()
    linecache.cache.update(lines)
    sys.setrecursionlimit(limit)
    random.setstate(states[0])
    np.random.set_state(states[1])
    torch.set_rng_state(states[2])
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.set_printoptions(profile="default")


def tasks_frame(*tasks: list[Any]) -> bytes:
    """A TASKS frame. The steps of each program are packed on their own."""
    values = [[*task[:4], frames.pack_tasks(task[4]), *task[5:]] if task[0] == "run" else task for task in tasks]
    return frames.framed(frames.TASKS, frames.pack_tasks(values))


@pytest.fixture
def serving() -> Callable[..., Answers]:
    """Sends a job through one pipe, serves it, and returns the frames that came through another."""

    def served(files: dict[str, Any], *tasks: list[Any]) -> Answers:
        sources = [
            {
                "module": name.removesuffix(".__init__"),
                "parts": parts if isinstance(parts, list) else [[name.replace(".", "/") + ".py", parts]],
                "is_package": name.endswith(".__init__"),
            }
            for name, parts in files.items()
        ]
        job = frames.frame(frames.JOB, sources) + tasks_frame(*tasks)
        job_read, job_write = os.pipe()
        results_read, results_write = os.pipe()
        sending = threading.Thread(target=_send, args=(job_write, job))
        answers: Answers = []
        receiving = threading.Thread(target=_receive, args=(results_read, answers))
        sending.start()
        receiving.start()
        try:
            serve.serve(job_read, results_write, [])
        finally:
            os.close(results_write)
            for thread in (sending, receiving):
                thread.join()
            os.close(job_read)
            os.close(results_read)
        return answers[1:]  # without HELLO

    return served


def _send(fd: int, data: bytes) -> None:
    with open(fd, "wb") as pipe:
        pipe.write(data)


def _receive(fd: int, answers: Answers) -> None:
    with open(fd, "rb", closefd=False) as pipe:
        while header := pipe.read(frames.HEADER.size):
            kind, length = frames.HEADER.unpack(header)
            answers.append((kind, frames.decode(pipe.read(length))))

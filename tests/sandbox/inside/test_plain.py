"""The unconfined child, in this process; its descriptors are restored afterwards."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from grader.sandbox.inside import frames, plain
from tests.sandbox.inside.conftest import tasks_frame


class Exited(BaseException):
    """Instead of the end of the process."""


@contextlib.contextmanager
def borrowed() -> Iterator[tuple[int, int]]:
    """Where to write a job and to read results; descriptors 0, 1 and 2 are lent to the child meanwhile."""
    sys.stdout.flush()
    saved = [os.dup(fd) for fd in range(3)]
    job_read, job_write = os.pipe()
    results_read, results_write = os.pipe()
    before = set(os.listdir("/proc/self/fd"))
    os.dup2(job_read, 0)
    os.dup2(results_write, 1)
    os.close(job_read)
    os.close(results_write)
    try:
        yield job_write, results_read
    finally:
        for fd, copy in enumerate(saved):
            os.dup2(copy, fd)
            os.close(copy)
        os.close(results_read)
        for fd in set(map(int, os.listdir("/proc/self/fd"))) - set(map(int, before)):
            with contextlib.suppress(OSError):
                os.close(fd)


def test_the_plain_child_serves_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It greets, answers on the old standard output, where prints no longer arrive, and ends at once."""
    limits: list[tuple[int, int]] = []

    def leave(code: int) -> None:
        raise Exited(code)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(plain, "_limit", lambda *numbers: limits.append(numbers))
    source = "import os\ndef f():\n    os.write(1, b'noise')\n    os.write(2, b'noise')\n    return len(os.read(0, 9))"
    files = [{"module": "unit_plain", "parts": [["unit_plain.py", source]], "is_package": False}]
    tasks = [["load", "unit_plain"], ["run", "unit_plain", "torch", 0, [["call", "f", [], {}]], [0], 1000]]
    with borrowed() as (job_write, results_read):
        os.write(job_write, frames.frame(frames.JOB, files) + tasks_frame(*tasks))
        os.close(job_write)
        with pytest.raises(Exited):
            plain.main(["json"], 7, 1 << 20)
        data = os.read(results_read, 1 << 16)
    answers: list[tuple[int, Any]] = []
    while data:
        kind, length = frames.HEADER.unpack_from(data)
        answers.append((kind, frames.decode(data[9 : 9 + length])))
        data = data[9 + length :]
    (hello, greeting), *rest = answers
    assert hello == frames.HELLO and greeting["layers"] == [] and "torch" in greeting["versions"]
    assert rest == [
        (frames.LOADED, {"task": 0, "failures": [], "absent": []}),
        (frames.RETURNED, {"task": 1, "values": [0]}),
    ]
    assert limits == [(7, 1 << 20)]


def test_limits_are_set_where_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU time and memory on systems that know them; elsewhere the grader's clock is what remains."""
    asked: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", asked.__setitem__)
    plain._limit(7, 1 << 30)
    assert asked[resource.RLIMIT_CPU] == (7, 8)
    soft, hard = asked[resource.RLIMIT_AS]
    assert soft == hard > 1 << 30

    def refuse(*args: object) -> None:
        raise ValueError("not here")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    plain._limit(7, 1 << 30)

"""The limit on threads of learner code, which is the same on every machine and for every user."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.core.model import Call, Limits, Observation, Program, Raised, Returned
from grader.sandbox.inside import zygote

Look = Callable[..., tuple[Observation, ...]]

SOURCE = """
import threading, torch

def together(wanted):
    threading.stack_size(1 << 15)
    end, made = threading.Event(), []
    try:
        while len(made) < wanted:
            made.append(threading.Thread(target=end.wait, daemon=True))
            made[-1].start()
    except RuntimeError:
        made.pop()
    end.set()
    for thread in made:
        thread.join()
    return len(made)

def one_by_one(wanted):
    for _ in range(wanted):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

def parallel():
    torch.set_num_threads(4)
    return float((torch.ones(300, 300) @ torch.ones(300, 300)).sum())
"""


def test_threads_are_counted(look: Look) -> None:
    """The number of living threads is limited; ended ones make room; libraries with several threads still work."""
    asked = [
        Program("unit", (Call(name, args),), (0,), group=str(at))
        for at, (name, args) in enumerate([("together", (200,)), ("together", (200,)), ("parallel", ())])
    ]
    seen = look(SOURCE, *asked, limits=Limits())
    assert seen == (Returned((zygote.MAX_LIVING,)),) * 2 + (Returned((27_000_000.0,)),)


@pytest.mark.prove
def test_threads_are_counted_over_the_whole_life_of_a_child(look: Look) -> None:
    """The total is limited, too, since each thread advances process ids, which the next child could see."""
    (seen,) = look(SOURCE, Call("one_by_one", (zygote.MAX_STARTED + 1,)), limits=Limits())
    assert isinstance(seen, Raised) and seen.type == "RuntimeError"


@pytest.mark.parametrize(
    ("living", "made", "yes"),
    [
        (1, 0, True),
        (zygote.MAX_LIVING, 500, True),
        (zygote.MAX_LIVING + 1, 500, False),
        (1, zygote.MAX_STARTED, False),
        (None, zygote.MAX_LIVING - 1, True),
        (None, zygote.MAX_LIVING, False),
    ],
)
def test_the_answer(monkeypatch: pytest.MonkeyPatch, living: int | None, made: int, yes: bool) -> None:
    """It depends on living threads and on all ever made; if the living cannot be counted, all count."""
    said: list[tuple[int, int, int, int]] = []

    def ioctl(fd: int, request: int, buffer: Any) -> None:
        if isinstance(buffer, bytearray):
            buffer[:8] = (4711).to_bytes(8, "little")
        else:
            said.append(zygote._ANSWER.unpack(buffer))

    monkeypatch.setattr(zygote.fcntl, "ioctl", ioctl)
    monkeypatch.setattr(zygote, "_threads", lambda pidfd: living)
    counter = zygote.ThreadCounter(5, 6)
    counter._made = made
    counter.answer()
    assert said == [(4711, 0, 0, 1) if yes else (4711, 0, -errno.EAGAIN, 0)]
    assert counter._made == made + yes


def test_who_asks_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that asks too often is killed, not answered, since questions take the zygote's time."""
    asked: list[int] = []
    killed: list[tuple[int, int]] = []

    def kill(pidfd: int, number: int) -> None:
        killed.append((pidfd, number))
        raise ProcessLookupError

    monkeypatch.setattr(zygote.fcntl, "ioctl", lambda fd, request, buffer: asked.append(request))
    monkeypatch.setattr(zygote.signal, "pidfd_send_signal", kill)
    monkeypatch.setattr(zygote, "_threads", lambda pidfd: 1)
    counter = zygote.ThreadCounter(5, 6)
    counter._asked = zygote.MAX_REQUESTS - 1
    counter.answer()
    assert killed == [] and zygote._SEND in asked
    asked.clear()
    counter.answer()
    assert killed == [(6, 9)] and asked == [zygote._RECEIVE]


def test_a_name_is_no_field(tmp_path: Path) -> None:
    """A process chooses its name, which comes first in its status file and may contain a carriage return."""
    status = tmp_path / "status"
    status.write_bytes(b"Name:\t\rThreads:\t1\r\nUmask:\t0022\nThreads:\t400\n")
    assert zygote._field(str(status), "Threads:") == "400"


def test_who_asked_may_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a child was killed while it asked, nothing is answered and nothing breaks."""

    def ioctl(fd: int, request: int, buffer: Any) -> None:
        raise FileNotFoundError(errno.ENOENT, "gone")

    monkeypatch.setattr(zygote.fcntl, "ioctl", ioctl)
    zygote.ThreadCounter(5, 6).answer()


def test_where_nobody_can_be_asked() -> None:
    """Without a suitable libseccomp this is reported, and the grader decides."""
    assert zygote.listen(b"", 317) is None
    assert zygote.listen(b"\0" * 8, -1) is None
    assert zygote._threads(-1) is None

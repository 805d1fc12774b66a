"""Assembling frames, writing jobs into pipes, and plain children, which are unconfined but always end."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.core.model import Array, Call, Died, Job, Limits, Raised, Returned, TimedOut, TooBig, Unreadable
from grader.sandbox import Sandbox, open_sandbox
from grader.sandbox.children import FairClock, FrameBuffer, MalformedFrame, OversizedFrame, write_all
from grader.sandbox.inside import frames


@pytest.mark.parametrize("size", [1, 2, 7, 9, 10, 1000])
def test_frames_come_out_whole_however_they_arrive(size: int) -> None:
    """Byte by byte or all at once, the same frames come out in order."""
    sent = [(frames.LOADED, {"task": 0}), (frames.RETURNED, {"task": 1, "values": ["x" * 50]}), (frames.TOO_BIG, None)]
    data = b"".join(frames.frame(*entry) for entry in sent)
    buffer, got = FrameBuffer(), []
    for at in range(0, len(data), size):
        buffer.add(data[at : at + size])
        while (frame := buffer.take(1000)) is not None:
            got.append(frame)
    assert got == sent
    assert buffer.total == len(data) + 10 * frames.VALUE_BYTES  # ten values and names of values
    assert buffer.take(1000) is None


def test_an_oversized_frame_is_refused_by_its_header() -> None:
    """A frame announced as too large is not read; a small allowance above the limit is accepted."""
    slack = 1 << 20
    for length, refused in ((5 + slack, False), (6 + slack, True), (1 << 63, True)):
        buffer = FrameBuffer()
        buffer.add(frames.HEADER.pack(frames.RETURNED, length))
        if refused:
            with pytest.raises(OversizedFrame):
                buffer.take(5)
        else:
            assert buffer.take(5) is None


@pytest.mark.parametrize(
    "data",
    [
        frames.HEADER.pack(0, 1),
        frames.HEADER.pack(10, 1) + b"N",
        frames.HEADER.pack(5, 0),
        frames.HEADER.pack(5, 2) + b"NN",
    ],
)
def test_what_is_no_frame_is_garbled(data: bytes) -> None:
    """Unknown kinds, and bodies that are not a value, are rejected."""
    buffer = FrameBuffer()
    buffer.add(data)
    with pytest.raises(MalformedFrame):
        buffer.take(1000)


def test_reading_asks_for_what_is_missing() -> None:
    """Small frames are read in one piece of 64 KiB, large ones in pieces of at most 1 MiB."""
    buffer = FrameBuffer()
    assert buffer.wanted == 1 << 16
    buffer.add(frames.HEADER.pack(frames.RETURNED, 100_000))
    buffer.take(1 << 20)
    assert buffer.wanted == 100_000
    buffer.add(bytes(90_000))
    assert buffer.wanted == 1 << 16
    buffer = FrameBuffer()
    buffer.add(frames.HEADER.pack(frames.RETURNED, 1 << 24))
    buffer.take(1 << 24)
    assert buffer.wanted == 1 << 20


def test_a_job_is_written_whole() -> None:
    """A job larger than the pipe reaches a slow reader completely."""
    read, write = os.pipe()
    data, got = os.urandom(300_000), bytearray()

    def slowly() -> None:
        while piece := os.read(read, 40_000):
            got.extend(piece)
            time.sleep(0.001)

    reader = threading.Thread(target=slowly)
    reader.start()
    with closing(FairClock(None)) as clock:
        assert write_all(write, data, 30, clock)
    os.close(write)
    reader.join()
    os.close(read)
    assert got == data


def test_a_reader_that_is_kept_waiting_is_waited_for() -> None:
    """A reader whose time is up is waited for if the machine keeps it from reading."""
    read, write = os.pipe()
    looks: list[int] = []
    hours = itertools.count(0.0, 3600.0)

    class Kept(FairClock):
        def seconds(self) -> float:
            return next(hours)

        def stuck(self, over: float = 0.0) -> bool:
            looks.append(len(os.read(read, 1 << 16)) if len(looks) >= 3 else 0)
            return False

    with closing(Kept(None)) as clock:
        assert write_all(write, bytes(1 << 17), 1, clock)
    assert len(looks) > 3
    os.close(read)
    os.close(write)


def test_writing_a_job_never_hangs() -> None:
    """Writing gives up on a reader that does not read or is gone."""
    read, write = os.pipe()
    with closing(FairClock(None)) as clock:
        assert not write_all(write, bytes(1 << 20), 0.05, clock)
        os.close(read)
        assert not write_all(write, bytes(10), 60, clock)
    os.close(write)


# --------------------------------------------------------------------------------------- the plain child


@pytest.fixture(scope="module")
def plain() -> Iterator[Sandbox]:
    """A sandbox without confinement that preloads only what the child itself imports."""
    with open_sandbox(mode="plain") as opened:
        yield opened


def test_plain_mode_gives_the_same_results_and_says_what_it_is(
    plain: Sandbox, make_job: Callable[..., Job], quick: Limits
) -> None:
    """Results are as in the sandbox, marked unsafe and without layers; prints are discarded."""
    source = """
        import os, sys
        print("noise"); os.write(1, b"noise")
        def f(x): return [x + 1, x.requires_grad]
        def g(): raise KeyError("k")
        def h(): return object()
        def big(): return [0] * 100_000
        def loud():
            print("noise" * 1000, flush=True); sys.stderr.write("noise"); os.write(1, b"noise")
            return len(os.read(0, 9))
        def environment(): return [name for name in os.environ if name.startswith(("ATTNCHECK", "PYTHON"))]
    """
    array = Array(np.ones((2, 2), "f4"), requires_grad=True)
    names = ("g", "h", "big", "loud", "environment")
    asked = [Call("f", (array,)), *names]
    seen = plain.observe(make_job(source, *asked), quick)
    assert plain.unsafe and plain.layers == ()
    assert seen.unsafe and seen.layers == ()
    assert dict(seen.versions)["numpy"] == np.__version__
    first, raised, *rest = seen.observations
    assert isinstance(first, Returned) and first.values[0][0].values.tolist() == [[2, 2], [2, 2]]
    assert isinstance(raised, Raised) and (raised.type, raised.line) == ("KeyError", 5)
    assert rest == [Unreadable("type", ("object",)), TooBig(1 << 20), Returned((0,)), Returned(([],))]


RUNAWAY = """
import os, time
def spin():
    while True: pass
def deaf():
    os.closerange(0, 100)
    time.sleep(60)
def leave():
    os._exit(3)
def breed():
    if os.fork() == 0:
        time.sleep(60)
    return os.getpid()
def flee():
    if os.fork() == 0:
        os.setsid()
        time.sleep(4)
        os._exit(0)
    return 1
"""


def living(group: int) -> list[str]:
    """The processes of a group that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = stat.read_text(errors="replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(stat.parent.name)
    return found


@pytest.mark.prove
def test_plain_children_end(plain: Sandbox, make_job: Callable[..., Job], quick: Limits) -> None:
    """Loops, closed pipes, crashes and processes left behind do not delay the grader."""
    started = time.monotonic()
    names = ("leave", "breed", "flee", "spin", "deaf")
    seen = plain.observe(make_job(RUNAWAY, *names), replace(quick, group_wall=1.5)).observations
    left, bred, fled, span, deaf = seen
    assert (left, fled, span) == (Died(None, 3), Returned((1,)), TimedOut(1.5, "wall"))
    assert isinstance(deaf, Died) and deaf.signal
    assert isinstance(bred, Returned)
    while living(bred.values[0]) and time.monotonic() < started + 60:
        time.sleep(0.05)
    assert not living(bred.values[0])
    assert time.monotonic() - started < 60

"""What a child sends: frames as bytes, answers to tasks, and values that were not requested."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from grader.core.model import (
    Died,
    Job,
    Limits,
    NotRun,
    Part,
    Program,
    Raised,
    Returned,
    SourceFile,
    TimedOut,
    TooBig,
    Unreadable,
    Value,
)
from grader.sandbox.children import ChildEnded, FrameBuffer, MalformedFrame, OversizedFrame
from grader.sandbox.inside import frames
from grader.sandbox.inside.frames import Block, FrameError, StepRef
from grader.sandbox.launch import observe
from grader.sandbox.wire import decode_value, encode_value
from tests.fuzz import bending
from tests.fuzz.reading import Reader, fuzzing

LIMITS = Limits()

# --------------------------------------------------------------------------------------------- values

PLAIN: tuple[Any, ...] = (
    {"task": 0, "values": [Block(np.arange(6, dtype="f4").reshape(2, 3), frames.TORCH), 1, "text"]},
    {
        "task": 1,
        "type": "ValueError",
        "text": "no, 不",
        "file": "q.py",
        "line": 2,
        "bases": ["ValueError", "Exception"],
    },
    {"task": 2, "reason": "undefined", "detail": ["attend", "softmax"]},
    {"task": 0, "failures": [{"type": "E", "text": "", "file": None, "line": None, "bases": []}], "absent": []},
    [None, True, False, -1, 2**70, 1.5, (1, (2,)), {"a": [b"bytes"]}, StepRef(3), Block(np.zeros((0, 3), "i8"), 31)],
    {"layers": ["seccomp"], "versions": {"torch": "2"}},
)
_ODD: tuple[Any, ...] = (
    *(value for value in bending.VALUES if type(value) is not int or value.bit_length() < 1000), b"", b"\xff",
    StepRef(0), StepRef(2**32 - 1), Block(np.array(True)), Block(np.full((2, 2), np.nan)),
    Block(np.array([1], "u2"), frames.BFLOAT16), Block(np.zeros((1,) * 8, "f2"), 255),
    Block(np.zeros((0, 1 << 20), "u1")), (), (1, ()), 0, 1, 2, "q.py", "odd.py",
)  # fmt: skip
VALUES = bending.data(PLAIN, _ODD)
BYTES = bending.byte_strings([frames.encode(value) for value in PLAIN])


def decoded(data: bytes, scratch: Path) -> None:
    """A value or a FrameError; an accepted value is the same after another round trip."""
    try:
        value = frames.decode(data)
    except FrameError:
        return
    again = frames.encode(value)
    assert frames.encode(frames.decode(again)) == again
    with contextlib.suppress(FrameError):
        mine = decode_value(value)
        assert frames.encode(encode_value(mine)) is not None


# -------------------------------------------------------------------------------------- answers to tasks

FILES = (
    SourceFile("q.py", "q", (Part("q.py", "def f():\n    pass\n"),)),
    SourceFile("p.py", "p", (Part("p.py", "x"),)),
)
JOB = Job(
    FILES,
    (
        Program("q", (Value(1), Value(2), Value(3)), (0, 1, 2), group="a"),
        Program("q", (Value(1),), (0,), group="a", hidden=True),
        Program("p", (Value(1),), (0,), group="b"),
    ),
)
HELLO = (frames.HELLO, {"layers": ["seccomp"], "versions": {"torch": "2"}})
GOOD: tuple[Any, ...] = (
    [
        [frames.LOADED, {"task": 0, "failures": [], "absent": []}],
        [frames.LOADED, {"task": 1, "failures": [], "absent": []}],
        [frames.RETURNED, {"task": 2, "values": [1, 2, 3]}],
        [frames.RETURNED, {"task": 3, "values": [4]}],
        [frames.RETURNED, {"task": 4, "values": [Block(np.ones(3), 0)]}],
    ],
    [
        [frames.LOADED, {"task": 0, "failures": [PLAIN[1]], "absent": [["os", "p.py", 1]]}],
        [frames.RAISED, {**PLAIN[1], "task": 1}],
        [frames.UNREADABLE, {**PLAIN[2], "task": 2}],
        [frames.TOO_BIG, {"task": 3}],
        [frames.HELLO, HELLO[1]],
    ],
)


class Voice:
    """A child that sends given bytes and then ends."""

    patience = 1.0
    unsafe = False

    def __init__(self, said: bytes) -> None:
        self._said = said
        self._buffer = FrameBuffer()

    def start(self, job: bytes, cpu_seconds: int, limits: Limits) -> Voice:
        """A new child that sends everything again."""
        return Voice(self._said)

    @property
    def received(self) -> int:
        """Bytes so far."""
        return self._buffer.total

    def send(self, frame: bytes) -> None:
        """Does nothing."""

    def receive(self, timeout: float, limit: int) -> tuple[int, Any] | None:
        """The next frame, piece by piece."""
        while (frame := self._buffer.take(limit)) is None:
            if not self._said:
                raise ChildEnded(9, None)
            self._buffer.add(self._said[:1000])
            self._said = self._said[1000:]
        return frame

    def cpu_seconds(self, default: float = 0.0) -> float:
        """Always 0."""
        return 0.0

    def wall_seconds(self) -> float:
        """At once."""
        return 0.0

    def stuck(self, over: float = 0.0) -> bool:
        """Never."""
        return False

    def kill(self) -> None:
        """Does nothing."""

    close = kill


def _spoken(answers: Any) -> bytes:
    """The frames of nearly correct answers; what cannot be encoded is left out."""
    out = bytearray(frames.frame(*HELLO))
    for answer in answers if isinstance(answers, list) else [answers]:
        kind, value = answer if isinstance(answer, list) and len(answer) == 2 else (frames.RETURNED, answer)
        with contextlib.suppress(FrameError):
            out += frames.frame(kind if type(kind) is int and 0 <= kind < 256 else 99, value)
    return bytes(out)


def _after_hello(data: bytes) -> bytes:
    return frames.frame(*HELLO) + data


SPOKEN = bending.data(GOOD, _ODD).map(_spoken)
GARBLED = bending.byte_strings([_spoken(answers)[len(_spoken([])) :] for answers in GOOD]).map(_after_hello)
_OBSERVED = (Returned, Raised, Unreadable, TooBig, Died, TimedOut, NotRun)


def answered(said: bytes, scratch: Path) -> None:
    """Whatever the child sends, there is an observation for each program, and it is never our fault."""
    seen = observe(Voice(said), JOB, LIMITS)
    assert len(seen.observations) == len(JOB.programs)
    for one, program in zip(seen.observations, JOB.programs, strict=True):
        assert type(one) in _OBSERVED
        match one:
            case Returned(values):
                assert len(values) == len(program.send)
            case Raised():
                assert type(one.type) is str and type(one.text) is str and len(one.text) <= 600
                assert one.file in (None, "q.py", "p.py") and (one.line is None or 1 <= one.line <= 3)
            case Unreadable(reason, detail):
                assert type(reason) is str and all(type(each) is str for each in detail)


def buffered(data: bytes, scratch: Path) -> None:
    """Frames are the same however the bytes are split."""

    def taken(sizes: int) -> list[Any]:
        buffer, got = FrameBuffer(), []
        for at in range(0, len(data), sizes):
            buffer.add(data[at : at + sizes])
            try:
                while (frame := buffer.take(1 << 20)) is not None:
                    got.append((frame[0], frames.encode(frame[1])))
            except (MalformedFrame, OversizedFrame) as error:
                return [*got, type(error)]
        return got

    assert taken(7) == taken(len(data) or 1)


test_sample, test_long = fuzzing(
    Reader("frames", BYTES, decoded),
    Reader("answers of the child", SPOKEN | GARBLED, answered),
    Reader("frames in pieces", SPOKEN | GARBLED, buffered),
)

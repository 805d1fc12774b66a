"""No array with n_q·n_k or more elements ever exists: the full score matrix is never stored.

## What it checks

Two calls with different numbers are measured. In torch, the largest tensor counts, also in threads that the call
starts; a call that cannot be seen completely (older threads, torch's own loops) earns no points. NumPy arrays are
measured by the peak of Python's memory, which must stay below the size of the score matrix in float32. The case needs
one sequence that is long compared to everything else: n_q·n_k must be at least 16 times the size of every argument, and
n 16 times every block size.

## Why it matters

Attention in tiles gives the same result as attention with the full matrix, so `values` cannot tell them apart. Saving
memory is the point of the algorithm.

## Options

- `of`: the two arguments whose lengths (axis −2) are n_q and n_k.

## Example

```yaml
function: online_softmax_attention
signature: (q, k, v, block_size)
reference: efficient.online_softmax_attention
cases:
  - name: long
    public: true
    only: [memory]
    args: {q: {normal: [128, 4]}, k: {normal: [128, 4]}, v: {normal: [128, 4]}, block_size: 8}
checks:
  - {memory: {weight: 1.4}}
mistakes:
  - misconception: all-at-once
    body: return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
    fails: [memory]
```

## Source

Milakov and Gimelshein 2018 (online softmax); Dao et al. 2022 (FlashAttention).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Message, Observation, Program, Returned, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer


@dataclass(frozen=True, slots=True)
class Options:
    """The two arguments whose lengths (axis -2) are n_q and n_k."""

    of: tuple[str, str] = ("q", "k")


KIND = CheckKind(
    Message("memory", "check"),
    Options,
    alone=Message("Every result is correct, but it takes more memory than it should."),
)


_BYTES = 4
#: How often an argument must fit into n_q·n_k, and a block into n: correct solutions keep several arrays of that size.
_ROOM = 16
_ARRAY = Message(
    "an array with {times:.3g} times as many elements as the $n_q × n_k$ matrix of scores existed at some point; "
    "a tile of it at a time is enough"
)
_PEAK = Message(
    "at its peak the call held {times:.3g} times the memory of the $n_q × n_k$ matrix of scores; "
    "a tile of it at a time is enough"
)
_SECRET = Message(
    "an array as large as the $n_q × n_k$ matrix of scores existed at some point; a tile of it at a time is enough"
)
_UNSEEN = Message(
    "some arrays of this call could not be seen, so it earns no points here. Compute the result during the call, "
    "with operations of torch or NumPy; end every thread before it returns"
)
_TOO_MANY = Message(
    "{exercise}, check memory: {name} has {size} elements, $n_q·n_k$ is {limit}; expected {room} times as many, and no "
    "batch"
)
_TOO_LARGE = Message(
    "{exercise}, check memory: {name} is {size}, $n_q·n_k$ is {limit}; expected n of {room} such blocks or more"
)
_NOT_LENGTHS = Message(
    "{exercise}, check memory, of: found {found}; expected the two arguments whose lengths are $n_q$ and $n_k$"
)
SECRETS = (_SECRET, _UNSEEN)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """A call that counts tensors, then one that counts bytes, after everything has been imported and built."""
    exercise = target.exercise.name
    limit = _limit(drawn, spec, exercise)
    for name, value in drawn.args:
        if isinstance(value, np.ndarray) and _ROOM * value.size > limit:
            raise CourseError(_TOO_MANY.fill(exercise=exercise, name=name, size=value.size, limit=limit, room=_ROOM))
        if type(value) is int and (_ROOM * value) ** 2 > limit:
            raise CourseError(_TOO_LARGE.fill(exercise=exercise, name=name, size=value, limit=limit, room=_ROOM))
    writer = Writer.to(target)
    instance, _ = writer.instance(drawn)
    # The second call has other numbers, so that nothing can be remembered from the first.
    negated = replace(drawn, args=tuple(map(_negated, drawn.args)))
    _, tensors = writer.counted_call(drawn, False, instance=instance)
    _, memory = writer.counted_call(negated, True, instance=instance)
    return (writer.program(tensors, memory),)


def _negated(given: tuple[str, Any]) -> tuple[str, Any]:
    name, value = given
    return name, -value if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def _limit(drawn: Drawn, spec: CheckSpec, exercise: str) -> int:
    """n_q·n_k."""
    of = read(spec, Options).of
    try:
        queries, keys = (drawn.value(name).shape[-2] for name in of)
    except (KeyError, AttributeError, IndexError, ValueError):
        raise CourseError(_NOT_LENGTHS.fill(exercise=exercise, found=list(of))) from None
    return int(queries * keys)


def judge(seen: JudgeInput) -> Verdict:
    """Compares the largest tensor with n_q·n_k, then the peak."""
    if len(seen.got) != 1:
        raise ValueError("memory asks for one program")
    largest, peak, unseen = _counts(seen.got)
    limit = _limit(seen.drawn, seen.spec, seen.exercise.name)
    if not seen.case.public and (largest >= limit or peak >= limit * _BYTES):
        return Verdict(Status.FAILED, _SECRET)
    if largest >= limit:
        return Verdict(Status.FAILED, _ARRAY.fill(times=largest / limit))
    if peak >= limit * _BYTES:
        return Verdict(Status.FAILED, _PEAK.fill(times=peak / limit / _BYTES))
    return Verdict(Status.FAILED, _UNSEEN) if unseen else Verdict(Status.PASSED)


def signature(got: tuple[Observation, ...], drawn: Drawn, spec: CheckSpec) -> tuple[Observation, ...]:
    """Whether there was such an array; its exact size and library are matters of style."""
    if all(isinstance(seen, Returned) for seen in got):
        largest, peak, unseen = _counts(got)
        limit = _limit(drawn, spec, "")
        return (Returned((largest >= limit or peak >= limit * _BYTES or unseen,)),)
    return got


def _counts(got: tuple[Observation, ...]) -> tuple[float, float, bool]:
    """What both calls counted: elements of the largest tensor, peak bytes, and whether something could not be seen.

    A value that is no number was tampered with, and is infinite.
    """
    counts: dict[str, Any] = {}
    for seen in got:
        for value in seen.values if isinstance(seen, Returned) else ():
            counts |= value if isinstance(value, dict) else {}
    largest, peak = (
        float("inf") if type(count) is not int else min(count, 1 << 62)
        for count in (counts.get("largest"), counts.get("peak"))
    )
    return largest, peak, counts.get("unseen") is not False

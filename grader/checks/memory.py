"""No array of n_q·n_k or more elements ever exists: the matrix of all scores is never there as a whole.

In torch the largest tensor counts; NumPy's arrays are seen through the peak of Python's memory, which may not
reach what such an array takes in float32. ``of`` names the two arguments whose lengths (axis -2) are n_q and n_k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.calls import Target, Writer
from grader.checks import Seen
from grader.errors import CourseError
from grader.inputs import Drawn
from grader.model import Apply, CheckSpec, Observation, Program, Returned, Status, Text, Verdict
from grader.trouble import trouble

REFERENCE = False
WEIGHT = 1.0
EVERY_CASE = False

_BYTES = 4
_ARRAY = Text(
    "an array with {times:.3g} times as many elements as the n_q × n_k matrix of scores existed at some point; "
    "a tile of it at a time is enough",
    "运行中出现过一个数组，元素个数是 n_q × n_k 分数矩阵的 {times:.3g} 倍；每次只需要其中的一块",
)
_PEAK = Text(
    "at its peak the call held {times:.3g} times the memory of the n_q × n_k matrix of scores; "
    "a tile of it at a time is enough",
    "运行中占用的内存峰值是 n_q × n_k 分数矩阵的 {times:.3g} 倍；每次只需要其中的一块",
)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """A first call, so that nothing is imported or built in the second one, which is watched."""
    limit = _limit(drawn, spec, target.exercise.name)
    largest = max(value.size for _, value in drawn.args if isinstance(value, np.ndarray))
    if 2 * largest > limit:
        said = f"an argument has {largest} elements, n_q·n_k is {limit}; expected no batch and n of at least 8·d·d_v"
        raise CourseError(f"{target.exercise.name}, check memory: {said}")
    writer = Writer.to(target)
    instance, _ = writer.instance(drawn)
    writer.call(drawn, instance=instance)
    counter = writer.add(Apply("counter", (True,)))
    writer.call(drawn, instance=instance, before=Apply("watch", (counter,)))
    return (writer.program(writer.add(Apply("counted", (counter,)))),)


def _limit(drawn: Drawn, spec: CheckSpec, exercise: str) -> int:
    """n_q·n_k."""
    try:
        queries, keys = (drawn.value(name).shape[-2] for name in spec.option("of", ("q", "k")))
    except (KeyError, AttributeError, IndexError, ValueError):
        said = f"saw {spec.option('of', ['q', 'k'])!r}; expected the two arguments whose lengths are n_q and n_k"
        raise CourseError(f"{exercise}, check memory, of: {said}") from None
    return int(queries * keys)


def judge(seen: Seen) -> Verdict:
    """The largest tensor, then the peak."""
    if bad := trouble(seen.got, seen.case):
        return bad
    if len(seen.got) != 1:
        raise ValueError("memory asks for one program")
    largest, peak = _counts(seen.got)
    limit = _limit(seen.drawn, seen.spec, seen.exercise.name)
    if largest >= limit:
        return Verdict(Status.FAILED, _ARRAY.fill(times=largest / limit))
    if peak >= limit * _BYTES:
        return Verdict(Status.FAILED, _PEAK.fill(times=peak / limit / _BYTES))
    return Verdict(Status.PASSED)


def essence(got: tuple[Observation, ...], drawn: Drawn, spec: CheckSpec) -> tuple[Observation, ...]:
    """Whether there was such an array: how large exactly is a matter of style."""
    if all(isinstance(seen, Returned) for seen in got):
        largest, peak = _counts(got)
        limit = _limit(drawn, spec, "")
        return (Returned((largest >= limit, peak >= limit * _BYTES)),)
    return got


def _counts(got: tuple[Observation, ...]) -> tuple[float, float]:
    """Elements of the largest tensor and bytes of the peak. Without a number it was tampered with: no limit holds."""
    (seen,) = got
    counts: Any = seen.values[0] if isinstance(seen, Returned) else None
    counts = counts if isinstance(counts, dict) else {}
    largest, peak = (counts.get(key) for key in ("largest", "peak"))
    return (
        largest if type(largest) is int else float("inf"),
        peak if type(peak) is int else float("inf"),
    )

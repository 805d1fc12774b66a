"""Calling twice gives the same: no randomness left on, nothing remembered from one call to the next.

The random generators are seeded differently for the two programs; equal seeds would hide dropout.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grader.calls import Target, Writer
from grader.checks import Seen
from grader.compare import compare
from grader.inputs import Drawn
from grader.model import CheckSpec, Program, Returned, Status, Text, Verdict
from grader.trouble import trouble

REFERENCE = False
WEIGHT = 1.0
EVERY_CASE = False

_RANDOM = Text(
    "the same inputs gave different results: is dropout (or another source of randomness) still active?",
    "同样的输入得到了不同的结果：是不是还开着 dropout（或别的随机来源）？",
)
_STATE = Text(
    "the result depends on the calls before it: something is remembered from one call to the next",
    "结果取决于之前的调用：有东西从一次调用留到了下一次",
)


def other(drawn: Drawn) -> Drawn:
    """Inputs of the same shapes with other numbers."""

    def changed(value: Any) -> Any:
        return -value[..., ::-1] if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value

    return replace(drawn, args=tuple((name, changed(value)) for name, value in drawn.args))


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """This, something else, this again, all on one instance; and something else on a fresh one."""
    first = Writer.to(target)
    instance, _ = first.instance(drawn)
    outputs = [first.call(inputs, instance=instance).output for inputs in (drawn, other(drawn), drawn)]
    second = Writer.to(target)
    fresh = second.call(other(drawn)).output
    return first.program(*outputs, seed=1), second.program(fresh, seed=2)


def judge(seen: Seen) -> Verdict:
    """Equal up to the last digits."""
    if bad := trouble(seen.got, seen.case):
        return bad
    match seen.got:
        case (Returned((once, between, again)), Returned((alone,))):
            if compare(between, alone, 1e-5, 1e-6) is None and compare(once, again, 1e-5, 1e-6) is None:
                return Verdict(Status.PASSED)
            state = compare(once, again, 1e-5, 1e-6) is None
            return Verdict(Status.FAILED, _STATE if state else _RANDOM)
    raise ValueError("repeatable asks for two programs")

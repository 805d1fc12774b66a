"""Calling twice gives the same result: no randomness is left on, and nothing is remembered between calls.

## What it checks

On one instance: these inputs, others, then these again. The first and the third result must agree. On a fresh
instance, the other inputs must give what they gave the first time. Between the calls another instance gets other
weights, which must not reach the first. The random generators are seeded differently for the two instances, because
equal seeds would hide dropout.

## Why it matters

Dropout that stays active, a cache at class level or a default argument that is changed makes results depend on what
ran before. Such bugs cannot be reproduced from the outside.

## Example

```yaml
function: softmax
signature: (x, axis=-1)
reference: scores.softmax
cases:
  - {name: a batch, public: true, args: {x: {normal: [3, 4, 5]}}}
checks:
  - {repeatable: {on: [a batch], weight: 0.2}}
mistakes:
  - {misconception: dropout, body: "return torch.dropout(torch.softmax(x, axis), 0.5, True)", fails: [repeatable]}
```

## Source

The conventions of the course: exercises are functions of their arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.core.model import CheckSpec, Program, Returned, Status, Text, Verdict
from grader.grading.checks import Seen
from grader.grading.compare import compare
from grader.grading.failures import failure_verdict
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

REFERENCE = False
WEIGHT = 1.0
EVERY_CASE = False


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


_DIFFERENT = Text(
    "the same inputs gave different results: is dropout (or other randomness) still active, "
    "or is state kept from an earlier call?",
    "同样的输入得到了不同的结果：是不是还开着 dropout（或别的随机来源），或者记住了之前调用留下的东西？",
)
_STATE = Text(
    "the result depends on earlier calls: state is kept from one call to the next",
    "结果取决于之前的调用：有东西从一次调用留到了下一次",
)
SECRETS = (_DIFFERENT, _STATE)


def other(values: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Arrays of the same shapes with other numbers, masks mirrored."""

    def changed(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fb":
            return value
        mirrored = np.flip(value, axis=-1) if value.ndim else value
        return -mirrored if value.dtype.kind == "f" else mirrored

    return tuple((name, changed(value)) for name, value in values)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """A call, a different one, the first again, all on one instance; and the different one on a fresh instance.

    Before the last call a second instance gets other weights, which must not affect the first.
    """
    between = replace(drawn, args=other(drawn.args))
    first = Writer.to(target)
    instance, _ = first.instance(drawn)
    outputs = [first.call(inputs, instance=instance).output for inputs in (drawn, between)]
    first.instance(replace(drawn, parameters=other(drawn.parameters)))
    outputs.append(first.call(drawn, instance=instance).output)
    second = Writer.to(target)
    fresh = second.call(between).output
    return first.program(*outputs, seed=1), second.program(fresh, seed=2)


def judge(seen: Seen) -> Verdict:
    """Passes if repeated calls agree up to rounding."""
    if bad := failure_verdict(seen.got, seen.case):
        return bad
    match seen.got:
        case (Returned((once, between, again)), Returned((alone,))):
            if compare(once, again, 1e-5, 1e-6) is not None:
                return Verdict(Status.FAILED, _DIFFERENT)
            if compare(between, alone, 1e-5, 1e-6) is not None:
                return Verdict(Status.FAILED, _STATE)
            return Verdict(Status.PASSED)
    raise ValueError("repeatable asks for two programs")

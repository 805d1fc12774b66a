"""The result is a distribution along one axis: nothing is negative, and everything sums to 1.

## What it checks

The signs and the sums. If the weights sum to 1 along another axis, or only all together, the message says so.

## Why it matters

A softmax over the wrong axis still gives positive numbers that sum to 1 somewhere, and with square inputs even the
shapes agree. In attention, the keys share the weight of one query, not the other way round.

## Options

- `axis`: the axis along which the weights sum to 1.

## Example

```yaml
function: softmax
signature: (x, axis=-1)
reference: scores.softmax
cases:
  - {name: along another axis, public: true, args: {x: {normal: [3, 4, 5], scale: 2.0}, axis: 1}}
checks:
  - {rows_sum_to_one: {on: [along another axis], axis: 1, weight: 0.2}}
mistakes:
  - {misconception: last-axis-always, body: "return torch.softmax(x, -1)", fails: [rows_sum_to_one]}
```

## Source

Goodfellow et al. 2016, section 4.1 (the softmax function).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.core.model import Message, Status, Verdict
from grader.core.text import EMPTY
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.properties import SHARED, Floats, has_axis, one_call, results


@dataclass(frozen=True, slots=True)
class Options:
    """The axis that sums to 1."""

    axis: int = -1


KIND = CheckKind(Message("rows sum to one", "check"), Options)


_NEGATIVE = Message("some weights are negative")
_OTHER_AXIS = Message(
    "the weights sum to 1 along axis {found}, not along axis {expected}: the softmax runs over the wrong axis{reason}"
)
_KEYS = Message(" (in attention the keys share the weight of one query, not the queries that of one key)")
_TOGETHER = Message("all weights together sum to 1; each row should sum to 1")
_SUM = Message("the weights of a row do not sum to 1")
_FEWER = Message("the result has too few axes: it has no rows")
_AXES = Message("the result is a single number; expected an array of weights")
SECRETS = (_NEGATIVE, _TOGETHER, _SUM, _AXES, _FEWER, *SHARED)


calls = one_call


def judge(seen: JudgeInput) -> Verdict:
    """Checks signs, then sums, and recognises sums along another axis."""
    (weights,) = results(seen.got, seen.case, 1)
    axis = read(seen.spec, Options).axis
    if not has_axis(weights, axis):
        return Verdict(Status.FAILED, _AXES if weights.ndim == 0 else _TOGETHER if _ones(weights.sum()) else _FEWER)
    if (weights < -1e-6).any():
        return Verdict(Status.FAILED, _NEGATIVE)
    if _ones(weights.sum(axis)):
        return Verdict(Status.PASSED)
    other = next((each for each in range(-1, -weights.ndim - 1, -1) if _ones(weights.sum(each))), None)
    if other is not None:
        reason = _KEYS if axis == -1 else EMPTY  # the keys are the last axis
        text = _OTHER_AXIS.fill(found=other, expected=axis, reason=reason) if seen.case.public else _SUM
        return Verdict(Status.FAILED, text)
    return Verdict(Status.FAILED, _TOGETHER if _ones(weights.sum()) else _SUM)


def _ones(sums: Floats | np.float64) -> bool:
    return bool(np.all(np.abs(sums - 1) <= 1e-4))

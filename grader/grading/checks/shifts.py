"""The returned matrix shifts the sinusoidal encoding: `pe[pos] @ M` is `pe[pos + delta]` for every position.

## What it checks

That property, for 256 positions. The entries of the matrix are not compared, so it may be computed in any way. The
exercise takes `delta`, `d_model` and `base`.

## Why it matters

The original paper chose sines and cosines because a fixed offset is a linear map. Several matrices are easy to
confuse with the right one (transposed, or with the pairs in halves), and the property tells them apart.

## Options

- `atol`: the absolute tolerance.

## Example

```yaml
function: shift_matrix
signature: (delta, d_model, base=10000.0)
reference: position.shift_matrix
cases:
  - {name: three steps, public: true, args: {delta: 3, d_model: 6}}
checks: [shifts]
mistakes:
  - {misconception: stands-still, body: "return torch.eye(d_model)", fails: [shifts]}
```

## Source

Vaswani et al. 2017, section 3.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, Message, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read, sent
from grader.grading.compare import SHARED, compare
from grader.grading.properties import one_call


@dataclass(frozen=True, slots=True)
class Options:
    """The tolerance."""

    atol: float = 1e-4


KIND = CheckKind(Message("shifts", "check"), Options, weight=4.0, every_case=True)


_BASE = 10000.0
_POSITIONS = 256
_OTHER = Message("pe[pos] @ M is not pe[pos + delta]: the matrix moves the rows of the encoding somewhere else")
SECRETS = (_OTHER, *SHARED)


calls = one_call


def judge(seen: JudgeInput) -> Verdict:
    """Checks that it is a finite square matrix, then where it moves the rows."""
    ((got,),), given = sent(seen.got), dict(seen.drawn.args)
    delta, d_model, base = given["delta"], given["d_model"], given.get("base", _BASE)
    anything = Array(np.zeros((d_model, d_model)))
    mismatch = compare(anything, got, atol=math.inf)
    if mismatch is None and isinstance(got, Array):
        rows = encoding(np.arange(_POSITIONS + delta), d_model, base)
        moved = rows[:_POSITIONS] @ got.values.astype(np.float64)
        mismatch = compare(Array(rows[delta:]), Array(moved), 0.0, read(seen.spec, Options).atol)
        if mismatch is not None:
            return Verdict(Status.FAILED, _OTHER, mismatch.difference if seen.case.public else None)
    if mismatch is None:
        return Verdict(Status.PASSED)
    return Verdict(Status.FAILED, mismatch.text if seen.case.public else mismatch.secret)


def encoding(positions: NDArray[Any], d_model: int, base: float) -> NDArray[np.float64]:
    """The sinusoidal encoding of ``positions``: sines in even columns, cosines in odd ones."""
    angles = positions[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), d_model)

"""The arguments are, bit for bit, what they were before the call.

## What it checks

The arrays that were passed in, after the call. The message of a public case names those that changed.

## Why it matters

`scores += …` or `masked_fill_` on an argument saves a line and changes the caller's data. The next layer then works
on something else, and autograd may fail in the backward pass.

## Example

```yaml
function: softmax
signature: (x, axis=-1)
reference: scores.softmax
cases:
  - {name: a batch, public: true, args: {x: {normal: [3, 4, 5]}}}
checks:
  - {unchanged_inputs: {on: [a batch], weight: 0.15}}
mistakes:
  - misconception: in-place
    body: |
      x -= x.amax(axis, keepdim=True)
      return torch.softmax(x, axis)
    fails: [unchanged_inputs]
```

## Source

The conventions of the course: functions leave their arguments alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.model import Array, CheckSpec, Message, Program, Status, Verdict
from grader.core.text import name_list
from grader.grading.checks import CheckKind, JudgeInput, sent
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

KIND = CheckKind(
    Message("unchanged inputs", "check"),
    alone=Message("Every result is correct, but the call changes arguments that belong to the caller."),
)


_CHANGED = Message("the call changed its argument {names} in place: the caller still needs the old values")

_SOME_CHANGED = Message("the call changed an argument in place: the caller still needs the old values")
SECRETS = (_SOME_CHANGED,)


def arrays(drawn: Drawn) -> list[str]:
    """The names of the array arguments that are not the same as another one."""
    return [name for name, value in drawn.args if isinstance(value, np.ndarray)]


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call, which returns the arrays that it was given, as it left them."""
    writer = Writer.to(target)
    given = dict(writer.call(drawn).arguments)
    return (writer.program(*(given[name] for name in arrays(drawn))),)


def judge(seen: JudgeInput) -> Verdict:
    """Passes if bytes, shape and dtype are the same as before."""
    (after,), before = sent(seen.got), dict(seen.drawn.args)
    names = arrays(seen.drawn)
    left = dict(zip(names, after, strict=False))
    changed = [name for name in names if not _identical(before[name], left.get(name))]
    if changed:
        text = _CHANGED.fill(names=name_list(changed)) if seen.case.public else _SOME_CHANGED
        return Verdict(Status.FAILED, text)
    return Verdict(Status.PASSED)


def _identical(before: NDArray[Any], after: object) -> bool:
    if not isinstance(after, Array):
        return False
    values = after.values
    return values.shape == before.shape and values.dtype == before.dtype and values.tobytes() == before.tobytes()

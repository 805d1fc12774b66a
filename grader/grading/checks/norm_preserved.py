"""The vectors along the last axis keep their length: a rotation does not stretch.

## What it checks

The result has one vector for each vector of the argument, with the same Euclidean norm. In a public case the message
names the factor if all vectors are stretched by the same one.

## Why it matters

RoPE encodes positions by rotation. If the length changes with the position, so do the scores, and the encoding is no
longer relative.

## Options

- `of`: the argument whose vectors they are.

## Example

```yaml
function: apply_rope
signature: (x, positions, base=10000.0)
reference: position.apply_rope
cases:
  - {name: heads, public: true, args: {x: {normal: [2, 3, 4, 6]}, positions: {value: [0, 1, 5, 9], dtype: int64}}}
checks:
  - {norm_preserved: {of: x, weight: 0.2}}
mistakes:
  - {misconception: stretches, body: "return x * (1 + positions[:, None])", fails: [norm_preserved]}
```

## Source

Su et al. 2021, section 3.2 (RoPE is an orthogonal transformation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.core.model import CheckSpec, Message, Program, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import SHARED, argument_names, near, program, results


@dataclass(frozen=True, slots=True)
class Options:
    """The argument with the vectors."""

    of: str = "x"


KIND = CheckKind(Message("norm preserved", "check"), Options)


_CHANGED = Message("the vectors change their length: a rotation keeps $a² + b²$ of each pair")
_SCALED = Message("every vector becomes {factor:.3g} times as long; a rotation keeps the length")
_SHAPE = Message("the result does not have one vector for each vector of {name}")
SECRETS = (_CHANGED, *SHARED)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call."""
    argument_names(spec, "of", read(spec, Options).of, drawn, target.exercise.name)
    return (program(target, drawn),)


def judge(seen: JudgeInput) -> Verdict:
    """Compares the norm of each vector with that before."""
    (result,) = results(seen.got, seen.case, 1)
    name = read(seen.spec, Options).of
    before = np.linalg.norm(seen.drawn.value(name).astype(np.float64), axis=-1)
    if result.shape[:-1] != before.shape or not result.ndim:
        return Verdict(Status.FAILED, _SHAPE.fill(name=name))
    after = np.linalg.norm(result, axis=-1)
    if near(before, after).all():
        return Verdict(Status.PASSED)
    factor = float(after.sum() / before.sum())
    # In a hidden case, learner code could choose the number to reveal its inputs.
    scaled = seen.case.public and near(before * factor, after).all()
    text = _SCALED.fill(factor=factor) if scaled else _CHANGED
    return Verdict(Status.FAILED, text)

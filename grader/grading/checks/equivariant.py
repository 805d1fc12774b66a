"""Permuting the rows of the arguments permutes the rows of the result in the same way, and does nothing else.

## What it checks

Three calls: with the arguments as drawn, with their rows permuted, and with other numbers. The second result must be
the first with its rows permuted. The third must differ from the first, because a constant is equivariant too. The
message tells equivariant from invariant: a result that does not change at all has pooled the rows.

## Why it matters

Self-attention without position information treats its input as a set. Code that depends on the order of the rows has
mixed up two axes or added positions where none belong.

## Options

- `of`: the arguments to permute together; by default all sequences. They need the same number of rows, at least 3.
- `axis`: the axis of the rows.

## Example

```yaml
function: self_attention
signature: (x, w_q, w_k, w_v, causal=False)
reference: sequences.self_attention
cases:
  - name: a batch
    public: true
    args: {x: {normal: [2, 5, 6]}, w_q: {normal: [6, 4]}, w_k: {normal: [6, 4]}, w_v: {normal: [6, 3]}}
checks:
  - {equivariant: {of: x}}
mistakes:
  - {misconception: running-sum, body: "return x.cumsum(dim=-2)", fails: [equivariant]}
```

## Source

Vaswani et al. 2017, section 3.5: attention knows nothing of the order of its input unless positions are added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Message, Program, Status, Verdict
from grader.core.text import name_list
from grader.grading import properties
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn, derangement
from grader.grading.programs import Target
from grader.grading.properties import alike_results, argument_names, has_axis, near, program, random_like, sequences


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments to permute together, and the axis of their rows."""

    of: str | tuple[str, ...] | None = None
    axis: int = -2


KIND = CheckKind(Message("equivariant", "check"), Options)


_ORDER = Message(
    "when the rows of {names} are permuted, the rows of the result are not permuted in the same way: "
    "something depends on the position of a row"
)
_INVARIANT = Message(
    "when the rows of {names} are permuted, the result does not change (invariant); "
    "its rows should be permuted in the same way (equivariant)"
)
_ROWS = Message("the result does not have one row for each row of {names}")
_OTHER_ROWS = Message(
    "{exercise}, check equivariant: found {names} with rows {rows}; expected one number of rows, 3 or more"
)
SECRETS = (*properties.SHARED,)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call with the inputs as they are, one with permuted rows, and one with other numbers."""
    names, axis = _names(drawn, spec, target.exercise.name), read(spec, Options).axis
    arrays = [drawn.value(name) for name in names]
    lengths = {array.shape[axis] if has_axis(array, axis) else 0 for array in arrays}
    if len(lengths) != 1 or min(lengths) < 3:
        details = {"names": ", ".join(names) or "–", "rows": sorted(lengths)}
        raise CourseError(_OTHER_ROWS.fill(exercise=target.exercise.name, **details))
    order = _order(min(lengths))
    permuted = drawn.changed(**{name: np.take(drawn.value(name), order, axis) for name in names})
    other = drawn.changed(**{name: random_like(drawn.value(name), number) for number, name in enumerate(names)})
    return (program(target, drawn, permuted, other),)


def _names(drawn: Drawn, spec: CheckSpec, exercise: str) -> tuple[str, ...]:
    return argument_names(spec, "of", read(spec, Options).of or sequences(drawn), drawn, exercise)


def _order(length: int) -> NDArray[np.int64]:
    """A permutation without fixed points, always the same for one length."""
    return derangement(length, np.random.Generator(np.random.PCG64(length)))


def judge(seen: JudgeInput) -> Verdict:
    """Passes if the rows are permuted in the same way, and depend on the input."""
    plain, permuted, other = alike_results(seen.got, seen.case, 3)
    names, axis = _names(seen.drawn, seen.spec, seen.exercise.name), read(seen.spec, Options).axis
    listed = name_list(names)
    length = seen.drawn.value(names[0]).shape[axis]
    if not has_axis(plain, axis) or plain.shape[axis] != length:
        return Verdict(Status.FAILED, _ROWS.fill(names=listed))
    if near(plain, other).all():
        return Verdict(Status.FAILED, Message("the result does not depend on {names}").fill(names=listed))
    if near(np.take(plain, _order(length), axis), permuted).all():
        return Verdict(Status.PASSED)
    return Verdict(Status.FAILED, (_INVARIANT if near(plain, permuted).all() else _ORDER).fill(names=listed))

"""No position looks ahead: its output depends on itself and earlier positions only.

## What it checks

The arguments are changed in their last position, in the last half, and in all but the first. The output of every
earlier position must stay the same, and the output of the first changed position must change. The new numbers are
larger than the old ones, so a mask that only dampens later positions is caught as well. The message says whether
everything later leaks, only the next position (the mask is off by one), or whether a position cannot see itself.

## Why it matters

A decoder that sees the next token while training predicts it perfectly and learns nothing. The loss looks excellent,
so the mistake is found only when the model generates text.

## Options

- `perturb`: the arguments to change; by default all sequences, without the queries where there are keys too (changing
  a query would hide that a position does not see itself).
- `axis`: the axis of the positions. Where lengths differ, the last positions belong together.

## Example

```yaml
function: causal_attention
signature: (q, k, v, key_padding=None)
reference: masks.causal_attention
cases:
  - {name: a batch, public: true, args: {q: {normal: [2, 5, 6]}, k: {normal: [2, 5, 6]}, v: {normal: [2, 5, 3]}}}
checks:
  - {causal: {on: [a batch], weight: 0.5}}
mistakes:
  - {misconception: no-mask, body: "return torch.softmax(q @ k.mT, dim=-1) @ v", fails: [causal]}
```

## Source

Vaswani et al. 2017, section 3.2.3: the decoder must not let information flow from later positions.
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
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import Floats, alike_results, argument_names, has_axis, program, random_like, sequences


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments to change, and the axis of the positions."""

    perturb: str | tuple[str, ...] | None = None
    axis: int = -2


KIND = CheckKind(Message("causal", "check"), Options)


_FUTURE = Message("the output at a position changes when only later positions change: it looks into the future")
_NEXT = Message("each position also sees the next one: the mask is off by one")
_BLIND = Message(
    "the output at a position stays the same when that position itself changes: "
    "a position may attend to itself (is the diagonal masked, too?)"
)
_DEAF = Message("the output does not depend on {names} at all, so past and future cannot be compared")
_AXIS = Message("the result has no row for each position")
_FEW_POSITIONS = Message(
    "{exercise}, check causal: found {names} with {length} positions on axis {axis}; expected 2 or more"
)
SECRETS = (_FUTURE, _NEXT, _BLIND, _AXIS, *properties.SHARED)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call with the inputs as they are, and some with later positions changed."""
    names, axis = _names(drawn, spec, target.exercise.name), read(spec, Options).axis
    length = _length(drawn, names, axis, target.exercise.name)
    changed = [
        drawn.changed(
            **{name: _with_other_end(drawn.value(name), axis, last, number) for number, name in enumerate(names)}
        )
        for last in _lasts(length)
    ]
    return (program(target, drawn, *changed),)


def _names(drawn: Drawn, spec: CheckSpec, exercise: str) -> tuple[str, ...]:
    names_found = sequences(drawn)
    keys = tuple(name for name in names_found if name not in ("q", "query"))
    return argument_names(spec, "perturb", read(spec, Options).perturb or keys or names_found, drawn, exercise)


def _length(drawn: Drawn, names: tuple[str, ...], axis: int, exercise: str) -> int:
    """The smallest number of positions of any sequence argument, queries included: the rows of the output."""
    arrays = [drawn.value(name) for name in {*names, *sequences(drawn)}]
    length = min((array.shape[axis] if has_axis(array, axis) else 0 for array in arrays), default=0)
    if length < 2:
        details = {"names": ", ".join(names) or "–", "length": length, "axis": axis}
        raise CourseError(_FEW_POSITIONS.fill(exercise=exercise, **details))
    return length


def _lasts(length: int) -> tuple[int, ...]:
    """How many positions at the end to change: one, half of them, all but the first."""
    return tuple(sorted({1, length // 2, length - 1}))


def _with_other_end(values: Floats, axis: int, last: int, number: int) -> Floats:
    """``values`` with new numbers in the ``last`` positions, large enough to reveal a mask that only dampens."""
    length = values.shape[axis]
    later = np.arange(length) >= length - last
    shape = [1] * values.ndim
    shape[axis] = length
    return np.where(later.reshape(shape), random_like(values, number, scale=4.0), values)


def judge(seen: JudgeInput) -> Verdict:
    """Passes if no earlier output changes, and the output at the first changed position does."""
    before, *after = alike_results(seen.got, seen.case, 2)
    names, axis = _names(seen.drawn, seen.spec, seen.exercise.name), read(seen.spec, Options).axis
    lasts = _lasts(_length(seen.drawn, names, axis, seen.exercise.name))
    if not has_axis(before, axis) or before.shape[axis] <= max(lasts):
        return Verdict(Status.FAILED, _AXIS)
    changes = [_changed_rows(before, other, axis) for other in after]
    if not any(rows.any() for rows in changes):
        return Verdict(Status.FAILED, _DEAF.fill(names=name_list(names)))
    firsts = [before.shape[axis] - last for last in lasts]  # the first positions that may change
    leaks = [set(np.flatnonzero(rows[:first])) for rows, first in zip(changes, firsts, strict=True)]
    if any(leaks):
        off_by_one = max(firsts) > 1 and all(leak == {first - 1} for leak, first in zip(leaks, firsts, strict=True))
        return Verdict(Status.FAILED, _NEXT if off_by_one else _FUTURE)
    if not all(rows[first] for rows, first in zip(changes, firsts, strict=True)):
        return Verdict(Status.FAILED, _BLIND)
    return Verdict(Status.PASSED)


def _changed_rows(before: Floats, after: Floats, axis: int) -> NDArray[np.bool_]:
    """For each position, whether its output changed by more than rounding."""
    changed = np.abs(after - before) > 1e-6 + 1e-5 * np.abs(before)
    return np.asarray(np.moveaxis(changed, axis, 0).reshape(before.shape[axis], -1).any(axis=1))

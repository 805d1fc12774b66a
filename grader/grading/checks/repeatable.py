"""Calling twice gives the same result: nothing is random, and no state is kept between calls.

## What it checks

On one instance: these inputs, others, then these again. The first and the last result must agree. On a fresh
instance, the other inputs must give what they gave the first time. Between the calls another instance gets other
weights, which must not affect the first. The random generators are seeded differently for the two instances, because
equal seeds would hide dropout.

The other inputs have other numbers. A case can list more calls under `then:`, each with the arguments that differ:
other lengths, another mask, a flag. State that all instances share (a cache at module level) also affects a fresh
one, so these results are compared with the reference as well, if the first result is correct.

## Why it matters

Dropout that stays active, a cache at class level or a default argument that is changed makes results depend on what
ran before. Such bugs cannot be reproduced from the outside.

## Example

```yaml
function: softmax
signature: (x, axis=-1)
reference: scores.softmax
cases:
  - {name: a batch, public: true, args: {x: {normal: [3, 4, 5]}}, then: [{x: {normal: [2, 7]}}, {axis: 0}]}
checks:
  - {repeatable: {on: [a batch], weight: 0.2}}
mistakes:
  - {misconception: dropout, body: "return torch.dropout(torch.softmax(x, axis), 0.5, True)", fails: [repeatable]}
```

## Source

The conventions of the course: exercises are functions of their arguments.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grader.core.model import CheckSpec, Message, Program, Status, Text, Verdict
from grader.grading.checks import CheckKind, JudgeInput, sent
from grader.grading.compare import compare
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

KIND = CheckKind(Message("repeatable", "check"), reference=True)


#: The message if the very same call gives another result.
DIFFERENT = Message(
    "the same inputs gave different results: is dropout (or other randomness) still active, "
    "or is state kept from an earlier call?"
)
#: The message if a call gives another result than on a fresh instance.
STATE = Message(
    "the same call gives another result after other calls than on a fresh instance: is state kept from one call to the "
    "next, or is something random?"
)
#: The message if other numbers change nothing. Code that ignores an argument does that without keeping state.
STALE = Message(
    "a call with other numbers gives the same result as the first one: are the arguments used, or is a result kept "
    "from an earlier call?"
)
#: The message if a later call is wrong on a fresh instance, too: the first one may have changed shared state, or the
#: code may be wrong for these arguments.
LATER = Message(
    "the first call is correct, but a later one with other arguments is wrong: is the code wrong for those arguments, "
    "or is something kept from an earlier call?"
)
SECRETS = (DIFFERENT, STATE, STALE, LATER)

#: What is said if nothing but this check fails, by its message.
_ALONE: dict[Text | None, Text] = {
    DIFFERENT: Message("The first call is correct, but repeating the same call gives a different result."),
    STATE: Message(
        "Every result is correct if the call is the first one; after other calls it is not always the same."
    ),
    STALE: Message("The first call is correct, but a call with other numbers gives the same result."),
    LATER: Message("Every case is correct; only a second call with other arguments after the first one is wrong."),
}
_MORE_CALLS_RAISE = Message(
    "Every case is correct; an exception is raised only when more calls follow the first one, some with other "
    "arguments."
)

#: The tolerances for comparing with the reference; ``values`` checks accuracy.
_RTOL, _ATOL = 1e-3, 1e-4


def other(values: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Arrays of the same shapes with other numbers, masks mirrored."""

    def changed(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fb":
            return value
        mirrored = np.flip(value, axis=-1) if value.ndim else value
        return -mirrored if value.dtype.kind == "f" else mirrored

    return tuple((name, changed(value)) for name, value in values)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """A call, different ones, the first again, all on one instance; and the different ones on a fresh instance.

    Before the last call a second instance gets other weights, which must not affect the first.
    """
    later = [replace(drawn, args=args) for args in (other(drawn.args), *drawn.then)]
    first = Writer.to(target)
    instance, _ = first.instance(drawn)
    outputs = [first.call(inputs, instance=instance).output for inputs in (drawn, *later)]
    first.instance(replace(drawn, parameters=other(drawn.parameters)))
    outputs.append(first.call(drawn, instance=instance).output)
    second = Writer.to(target)
    fresh = [second.call(inputs).output for inputs in later]
    return first.program(*outputs, seed=1), second.program(*fresh, seed=2)


def judge(seen: JudgeInput) -> Verdict:
    """Passes if repeated calls agree up to rounding, and nothing from an earlier call is in a later one."""
    ((once, *later, again), alone), ((right, *others, _), _) = sent(seen.got), sent(seen.expected)
    if not _alike(once, again):
        return Verdict(Status.FAILED, DIFFERENT)
    if not all(_alike(on_same, fresh) for on_same, fresh in zip(later, alone, strict=True)):
        return Verdict(Status.FAILED, STATE)
    # Other numbers give the first result again although they should not.
    if _alike(once, later[0]) and not _right(right, others[0]):
        return Verdict(Status.FAILED, STALE)
    if _right(right, once) and not all(map(_right, others[1:], later[1:])):
        return Verdict(Status.FAILED, LATER)
    return Verdict(Status.PASSED)


def _right(expected: Any, got: Any) -> bool:
    """Whether a result is that of the reference."""
    return compare(expected, got, _RTOL, _ATOL) is None


def _alike(one: Any, other: Any) -> bool:
    """Whether two results of the code agree up to rounding."""
    return compare(one, other, 1e-5, 1e-6) is None


def alone(verdict: Verdict) -> Text | None:
    """What is said if nothing but this check fails."""
    return _MORE_CALLS_RAISE if verdict.status is Status.RAISED else _ALONE.get(verdict.message)

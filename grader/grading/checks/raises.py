"""Invalid arguments raise the exception that the task names.

## What it checks

Cases with `raises: ValueError` (or another built-in exception): the call must raise that exception or one derived
from it. `NotImplementedError` from an unfinished stub does not count. For a class, a case without `args` only
constructs it. Without `on`, the check uses every case that has `raises`.

## Why it matters

A head count that does not divide the width, or a temperature of 0, otherwise gives a wrong result much later, far
from its cause.

## Example

```yaml
function: split_heads
signature: (x, num_heads)
reference: heads.split_heads
cases:
  - {name: a batch, public: true, args: {x: {normal: [2, 5, 12]}, num_heads: 3}}
  - {name: indivisible, raises: ValueError, args: {x: {normal: [2, 3, 10]}, num_heads: 3}}
checks:
  - {raises: {weight: 0.4}}
mistakes:
  - misconception: accepts-anything
    body: return x.unflatten(-1, (1, x.shape[-1])).transpose(-3, -2)
    fails: [raises]
```

## Source

The contract of the exercise: `summary` must name the exception.
"""

from __future__ import annotations

from grader.core.model import Call, CheckSpec, Message, Program, Raised, Returned, Status, Unreadable, Verdict
from grader.grading.checks import CheckKind, JudgeInput
from grader.grading.failures import exception_name, failure_verdict
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

KIND = CheckKind(
    Message("raises", "check"),
    alone=Message(
        "Every result is correct; only the call that should raise an exception does not raise the expected one."
    ),
    every_case=True,
    failures=True,
)


_NONE = Message("invalid arguments are accepted; expected {expected}")
_OTHER = Message("it raised {got}; expected {expected}")
_ACCEPTED = Message("invalid arguments are accepted; the task says which exception to raise")
_ANOTHER = Message("it raised a different exception than the task asks for")
SECRETS = (_ACCEPTED, _ANOTHER)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """The call; for a class and a case without arguments, only the construction."""
    writer = Writer.to(target)
    if target.exercise.kind == "class" and not drawn.args:
        writer.instance(drawn)
        while not isinstance(writer.steps[-1], Call):
            writer.steps.pop()
        return (writer.program(),)
    writer.call(drawn)
    return (writer.program(),)


def judge(seen: JudgeInput) -> Verdict:
    """Passes for the named exception, or one derived from it."""
    expected = seen.case.raises or "ValueError"
    accepted = _NONE.fill(expected=expected) if seen.case.public else _ACCEPTED
    match seen.got:
        case (Raised(during="call", bases=bases),) if expected in bases:
            return Verdict(Status.PASSED)
        case (Raised(during="call", type=got) as raised,) if got != "NotImplementedError":
            name = exception_name(raised, public=True)
            text = _OTHER.fill(got=name, expected=expected) if seen.case.public else _ANOTHER
            return Verdict(Status.FAILED, text)
        case (Unreadable(reason="forbidden" | "function" | "no-forward" | "not-callable"),):
            pass
        case (Returned() | Unreadable(),):
            return Verdict(Status.FAILED, accepted)
    return failure_verdict(seen.got, seen.case) or Verdict(Status.FAILED, accepted)

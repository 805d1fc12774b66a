"""The result is linear in one argument: f(a·v₁ + b·v₂) = a·f(v₁) + b·f(v₂).

## What it checks

Four calls: two values of the argument, a combination of both, and zero. The result must depend on the argument, must
be zero at zero, and must add up. The message tells a result that is merely affine (something is added that does not
depend on the argument) from one that is nonlinear.

## Why it matters

Attention is a weighted average of the values, so it is linear in them; a projection is linear in what it projects. A
bias, a normalisation or an activation in the wrong place breaks this.

## Options

- `of`: the argument.

## Example

```yaml
function: output_projection
signature: (heads, w_o)
reference: heads.output_projection
cases:
  - {name: a batch, public: true, args: {heads: {normal: [2, 3, 5, 4]}, w_o: {normal: [12, 6]}}}
checks:
  - {linear: {of: heads, on: [a batch], weight: 0.2}}
mistakes:
  - {misconception: activation, body: "return torch.relu(merge_heads(heads) @ w_o)", fails: [linear]}
```

## Source

Vaswani et al. 2017, equation 1: the output is a weighted sum of the values.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.model import CheckSpec, Message, Program, Status, Text, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import SHARED, Floats, alike_results, argument_names, near, program, random_like


@dataclass(frozen=True, slots=True)
class Options:
    """The argument."""

    of: str = "v"


KIND = CheckKind(Message("linear", "check"), Options)


_A, _B = 2.0, -0.5
_BENT = Message("the result is not linear in {name}: $f(a·{name}₁ + b·{name}₂)$ is not $a·f({name}₁) + b·f({name}₂)$")
_SHIFTED = Message(
    "the result is not zero when {name} is zero: something is added that does not depend on {name}, "
    "so it is affine in {name}, not linear"
)
SECRETS = (*SHARED,)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """Two values, a combination of both, and zero."""
    (name,) = argument_names(spec, "of", read(spec, Options).of, drawn, target.exercise.name)
    first = drawn.value(name).astype("float64")
    second = random_like(first, 1)
    others = (second, _A * first + _B * second, 0 * first)
    return (program(target, drawn, *(drawn.changed(**{name: value}) for value in others)),)


def judge(seen: JudgeInput) -> Verdict:
    """Passes if the result depends on the argument, and the combination of two values gives that of the results."""
    first, second, both, zero = alike_results(seen.got, seen.case, 4)
    text = _finding(first, second, both, zero)
    if text is None:
        return Verdict(Status.PASSED)
    return Verdict(Status.FAILED, text.fill(name=read(seen.spec, Options).of))


def _finding(first: Floats, second: Floats, both: Floats, zero: Floats) -> Text | None:
    if near(first, second).all():
        return Message("the result does not depend on {name}")
    if near(both, _A * first + _B * second).all():
        return None
    # Affine: linear after the value at zero is subtracted.
    affine = near(both - zero, _A * (first - zero) + _B * (second - zero)).all()
    return _SHIFTED if affine and not near(zero, 0 * zero).all() else _BENT

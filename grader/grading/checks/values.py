"""The result agrees with that of the reference.

## What it checks

The learner's code gets float32 inputs, and the reference computes in float64 from the same numbers. Structure, shape,
dtype, finiteness and then values are compared; the first difference is reported, in a public case with its place and
both numbers. Integers in arrays and lists are ids and must agree exactly. If a result is wrong for ordinary inputs, the
exercise earns at most half of its points: see the [author guide](author-guide.md#exercises).

## Why it matters

This is what most points are for. Which mistakes it can find depends on the cases: see the
[author guide](author-guide.md#exercises).

## Options

- `rtol`: the relative tolerance.
- `atol`: the absolute tolerance.

## Example

```yaml
function: rms_norm
signature: (x, gamma, eps=1e-5)
reference: norms.rms_norm
cases:
  - {name: gain, public: true, args: {x: {normal: [2, 5, 6], scale: 2, shift: 1}, gamma: {normal: [6], shift: 1}}}
checks:
  - {values: {weight: 1, rtol: 1e-4, atol: 1e-5}}
mistakes:
  - {misconception: subtracts-the-mean, body: "return torch.nn.functional.layer_norm(x, (6,), gamma)", fails: [values]}
```

## Source

The reference of the exercise.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.model import Message, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read, sent
from grader.grading.compare import SHARED, compare
from grader.grading.properties import one_call


@dataclass(frozen=True, slots=True)
class Options:
    """Tolerances."""

    rtol: float = 1e-4
    atol: float = 1e-5


KIND = CheckKind(Message("values", "check"), Options, reference=True, weight=4.0, every_case=True)


SECRETS = SHARED
_ONE_OF = Message("result {place} of {count}: {text}")


calls = one_call


def judge(seen: JudgeInput) -> Verdict:
    """Compares kind, shape, finiteness and values, in this order."""
    options = read(seen.spec, Options)
    ((got,),), ((expected,),) = sent(seen.got), sent(seen.expected)
    mismatch = compare(expected, got, options.rtol, options.atol)
    if mismatch is None:
        return Verdict(Status.PASSED)
    if seen.case.public:
        place, count = (1, 1) if seen.exercise.through else mismatch.result  # a helper's, not the learner's
        text = mismatch.text if count == 1 else _ONE_OF.fill(place=place, count=count, text=mismatch.text)
        return Verdict(Status.FAILED, text, mismatch.difference)
    return Verdict(Status.FAILED, mismatch.secret)

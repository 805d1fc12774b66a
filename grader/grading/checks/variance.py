"""For standard normal q and k, the scores have the same variance at every width d_k.

## What it checks

2000 pairs of a query and a key for each width, from fixed seeds, so that the verdict never changes. The estimated
variance must lie within four standard errors of the expected one. The exercise must be a function of queries and keys
that returns scores. The message says whether the variance grows with d_k (no scaling) or shrinks (too much).

## Why it matters

Keeping the variance at 1 is the reason for dividing by √d_k. This check measures the effect, `scaling` the formula.

## Options

- `d_k`: the widths to try.
- `is`: the expected variance.

## Example

```yaml
function: scaled_scores
signature: (q, k)
reference: scores.scaled_scores
cases:
  - {name: a batch, public: true, args: {q: {normal: [2, 4, 6]}, k: {normal: [2, 7, 6]}}}
checks:
  - {variance: {d_k: [4, 16, 64], is: 1, weight: 0.2}}
mistakes:
  - {misconception: no-scaling, body: "return q @ k.mT", fails: [variance]}
```

## Source

Vaswani et al. 2017, footnote 4. The standard error follows from the kurtosis 3 + 6/d_k of a sum of d_k products.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Message, Program, Status, Text, Verdict
from grader.core.text import EMPTY
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import SHARED, program, require_shape, results


@dataclass(frozen=True, slots=True)
class Options:
    """The widths to try, and the expected variance."""

    d_k: tuple[int, ...] = (4, 16, 64)
    is_: float = 1.0


KIND = CheckKind(Message("variance", "check"), Options)


_SAMPLES = 2000
#: How many standard errors the estimate may be off: a correct solution would exceed this for one seed in 16000.
_ERRORS = 4.0

_OTHER = Message(
    "with components of variance 1, the variance of the scores at $d_k = {d_k}$ is {observed:.3g} "
    "({samples} samples); expected {expected:g} ± {bound:.2g}{reason}"
)
_TOO_SMALL = Message(": the variance shrinks as $d_k$ grows; dividing by $c$ divides the variance by $c²$")
_SECRET = Message("with components of variance 1, the variance of the scores is wrong")
_OTHER_ARGUMENTS = Message(
    "{exercise}, check variance: found {signature}; expected a function of queries and keys, such as `(q, k)`"
)
SECRETS = (_SECRET, *SHARED)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """Many single pairs of a query and a key, for each width."""
    names = [parameter.name for parameter in target.exercise.parameters if parameter.required]
    if len(names) != 2 or target.exercise.kind == "class":
        exercise = target.exercise
        raise CourseError(_OTHER_ARGUMENTS.fill(exercise=exercise.name, signature=exercise.signature))
    return (program(target, *(_pairs(names, d_k) for d_k in read(spec, Options).d_k)),)


def _pairs(names: list[str], d_k: int) -> Drawn:
    generator = np.random.Generator(np.random.PCG64(d_k))
    pair = generator.standard_normal((2, _SAMPLES, 1, d_k)).astype(np.float32)
    return Drawn(tuple(zip(names, pair, strict=True)), (), ())


def judge(seen: JudgeInput) -> Verdict:
    """Compares the estimate at every width with its confidence bound."""
    options = read(seen.spec, Options)
    widths, expected = options.d_k, float(options.is_)
    arrays = results(seen.got, seen.case, len(widths))
    require_shape(arrays, (_SAMPLES, 1, 1), seen.case.public)
    observed = [float(scores.var(ddof=1)) for scores in arrays]
    for d_k, variance in zip(widths, observed, strict=True):
        bound = expected * _ERRORS * standard_error(d_k, _SAMPLES)
        if abs(variance - expected) > bound:
            details = {"d_k": d_k, "observed": variance, "expected": expected, "bound": bound, "samples": _SAMPLES}
            text = _OTHER.fill(**details, reason=_reason(observed)) if seen.case.public else _SECRET
            return Verdict(Status.FAILED, text)
    return Verdict(Status.PASSED)


def standard_error(d_k: int, samples: int) -> float:
    """The relative standard error of an estimated variance: a sum of d_k normal products has kurtosis 3 + 6/d_k."""
    return math.sqrt((2 + 6 / d_k) / samples)


def _reason(observed: list[float]) -> Text:
    steps = list(itertools.pairwise(observed))
    if steps and all(a < 0.7 * b for a, b in steps):
        return Message(": the variance grows with $d_k$, because a score is a sum of $d_k$ products")
    return _TOO_SMALL if steps and all(b < 0.7 * a for a, b in steps) else EMPTY

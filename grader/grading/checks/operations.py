"""The work grows with a size as it should; it is counted, never timed.

## What it checks

One call for each size is counted (`grader/sandbox/inside/counting.py` says what counts as work), and the growth is read
off the first and the last one: twice the size takes less than 2.6 times the work for linear growth, and more for
quadratic growth. Operations of torch, arrays and products of matrices in NumPy, and lines of Python that run all count,
also in threads that the call starts. A call with work that cannot be counted earns no points: work in threads that were
there before the call or outlast it, in torch's own loops (`while_loop`, `scan`), and in operations that torch does not
define (`torch.library`).

## Why it matters

Linear attention computed through the n × n matrix gives the same numbers, and a cache that is read but recomputed
gives the same tokens. Only the work tells them apart.

## Options

- `of`: the symbol that grows; the case draws it.
- `at`: its values, the smallest first.
- `growth`: the growth that is expected.

## Example

```yaml
function: linear_attention
signature: (q, k, v, causal=False)
reference: efficient.linear_attention
cases:
  - {name: long, public: true, draw: {n: [64]}, args: {q: {normal: [n, 4]}, k: {normal: [n, 4]}, v: {normal: [n, 3]}}}
checks:
  - {operations: {of: n, at: [128, 256], growth: linear, weight: 0.8}}
mistakes:
  - {misconception: softmax-after-all, body: "return torch.softmax(q @ k.mT, dim=-1) @ v", fails: [operations]}
```

## Source

Katharopoulos et al. 2020 (linear attention).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Message, Observation, Program, Returned, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer


@dataclass(frozen=True, slots=True)
class Options:
    """The symbol that grows, its values, and how the work may grow with it."""

    of: str = ""
    at: tuple[int, ...] = ()
    growth: Literal["linear", "quadratic"] = "linear"


KIND = CheckKind(
    Message("operations", "check"),
    Options,
    alone=Message("Every result is correct, but it takes more arithmetic than it should."),
)


#: Twice the size makes less than 2.6 times the work: linear; no linear work makes more.
_LINEAR = math.log2(2.6)

#: More work than any machine can do.
_MOST = 1 << 62

GrowthRate: TypeAlias = Literal["linear", "quadratic", "unseen"]

_TOO_MUCH = Message(
    "{ratio} times the work when {symbol} grows {factor:g}-fold: that is more than linear in {symbol}; expected "
    "linear. Which step handles every pair of positions (an n × n array, or all earlier positions again at each step)?"
)
_TOO_LITTLE = Message(
    "{ratio} times the work when {symbol} grows {factor:g}-fold: that is linear in {symbol}; expected quadratic"
)
_MORE = Message("the work grows faster with the size than it should: linear is expected")
_LESS = Message("the work grows more slowly with the size than it should: quadratic is expected")
_UNSEEN = Message(
    "the work of this call could not be counted, so it earns no points here. Compute the result during the call, from "
    "the arrays that it is given, with operations of torch or NumPy; end every thread before it returns"
)
_NO_SIZES = Message("{exercise}, check operations: expected options such as {{of: n, at: [128, 256], growth: linear}}")
SECRETS = (_MORE, _LESS, _UNSEEN)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One counted call for each size."""
    if not drawn.larger:
        raise CourseError(_NO_SIZES.fill(exercise=target.exercise.name))
    return tuple(_counted(target, inputs) for inputs in (drawn, *drawn.larger))


def _counted(target: Target, inputs: Drawn) -> Program:
    writer = Writer.to(target)
    instance, _ = writer.instance(inputs)
    _, counts = writer.counted_call(inputs, False, target.array_type == "numpy", instance=instance)
    return writer.program(counts)


def judge(seen: JudgeInput) -> Verdict:
    """Compares the growth with what is expected. What could not be counted fails."""
    if len(seen.got) < 2:
        raise ValueError("operations asks for one program for each size")
    growth, ratio, factor = _growth(seen.got, seen.spec)
    options = read(seen.spec, Options)
    expected = options.growth
    if growth == "unseen":
        return Verdict(Status.FAILED, _UNSEEN)
    if growth == expected:
        return Verdict(Status.PASSED)
    if not seen.case.public:  # learner code could choose the exact number
        return Verdict(Status.FAILED, _MORE if expected == "linear" else _LESS)
    message = _TOO_MUCH if expected == "linear" else _TOO_LITTLE
    return Verdict(Status.FAILED, message.fill(ratio=f"{ratio:.1f}", factor=factor, symbol=options.of))


def signature(got: tuple[Observation, ...], drawn: Drawn, spec: CheckSpec) -> tuple[Observation, ...]:
    """The growth alone: equivalent programs rarely do exactly the same work."""
    if all(isinstance(seen, Returned) for seen in got):
        return (Returned((_growth(got, spec)[0],)),)
    return got


def _work(seen: Observation) -> int:
    """The work of one call; 0 if not all of it was seen. Learner code could have changed it: its types are checked."""
    match seen:
        case Returned(({"work": int(work), "elsewhere": int(elsewhere), "unseen": False},)):
            return max(0, min(work, _MOST)) + max(0, min(elsewhere, _MOST))
    return 0


def _growth(got: tuple[Observation, ...], spec: CheckSpec) -> tuple[GrowthRate, float, float]:
    """How the work grows from the first size to the last, with the two factors.

    A call that did less than its size was not seen doing its work: even linear work is more.
    """
    works = [_work(seen) for seen in got]
    sizes = read(spec, Options).at
    factor = sizes[-1] / sizes[0]
    if any(work < size for work, size in zip(works, sizes, strict=True)):
        return "unseen", 0.0, factor
    ratio = works[-1] / works[0]
    return "linear" if math.log(ratio) / math.log(factor) < _LINEAR else "quadratic", ratio, factor

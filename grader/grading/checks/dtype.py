"""The precision of the inputs is kept: float64 in gives float64 out, computed in float64.

## What it checks

One call with float64 inputs and one with float32 inputs. Both results must have the dtype of their inputs, and the
float64 result must agree with the reference to float64 accuracy. Where the result is a Python number, only its accuracy
counts. NumPy code that promotes float32 to float64 gets a remark and loses no points.

## Why it matters

A stray `.float()` or `torch.zeros(…)` silently lowers the precision of everything after it. Results still look right,
but comparisons, gradient checks and half-precision training break.

## Options

- `rtol`: the relative tolerance of the float64 result.
- `atol`: its absolute tolerance. Raise it for a reference that contains constants in float32.

## Example

```yaml
function: scaled_scores
signature: (q, k)
reference: scores.scaled_scores
cases:
  - {name: a batch, public: true, args: {q: {normal: [2, 4, 6]}, k: {normal: [2, 7, 6]}}}
checks:
  - {dtype: {on: [a batch], rtol: 1e-7, atol: 1e-8}}
mistakes:
  - {misconception: half-way, body: "return (q.float() @ k.float().mT / q.shape[-1] ** 0.5).to(q)", fails: [dtype]}
```

## Source

The conventions of the course: functions work in the precision that they are given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.core.model import Array, CheckSpec, Message, Program, Status, Text, Verdict
from grader.grading.checks import CheckKind, JudgeInput, read, sent
from grader.grading.compare import SHARED, compare
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import program


@dataclass(frozen=True, slots=True)
class Options:
    """Tolerances."""

    rtol: float = 1e-8
    atol: float = 1e-9


KIND = CheckKind(
    Message("dtype", "check"),
    Options,
    alone=Message("Every result is correct; only the data type is wrong: it should follow that of the arguments."),
    reference=True,
)


_OTHER = Message("{given} in, {got} out: the dtype of the inputs is not kept")
_NOT_KEPT = Message("the dtype of the inputs is not kept")
_LOSS = Message(
    "float64 in and float64 out, but only with the accuracy of float32: some step uses lower precision, or adds a "
    "small number such as $ε$"
)
_COARSE = Message(
    "Every result is correct to about six digits, but with float64 inputs it should be more exact. Look for a step in "
    "lower precision, or for a small number such as $ε$ that does not belong there."
)
_PROMOTED = Message(
    "float32 inputs become float64 results (look for float64 arrays and for NumPy functions of plain numbers: "
    "np.sqrt(d) is float64, too); no points are lost"
)
_NONE = Message("the result has no floating-point dtype to keep")
SECRETS = (_NOT_KEPT, _LOSS, _NONE, _PROMOTED, *SHARED)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call in float64, one in float32."""
    wide, narrow = replace(target, precision="float64"), replace(target, precision="float32")
    return program(wide, drawn), program(narrow, drawn)


def judge(seen: JudgeInput) -> Verdict:
    """Compares the dtypes, then the accuracy in float64."""
    ((wide,), (narrow,)), ((expected,), *_) = sent(seen.got), sent(seen.expected)
    return _judge(seen, wide, narrow, expected)


def _judge(seen: JudgeInput, wide: object, narrow: object, expected: object) -> Verdict:
    """The verdict on one array, or the first failure among several. Without floats the check does not apply."""
    match wide, narrow, expected:
        case Array() | int() | float(), Array() | int() | float(), Array() if expected.values.dtype.kind == "f":
            return _precision(seen, wide, narrow, expected)
        case list() | tuple(), list() | tuple(), list() | tuple() if len(wide) == len(narrow) == len(expected):
            verdicts = [_judge(seen, w, n, e) for w, n, e in zip(wide, narrow, expected, strict=True)]
            counted = [verdict for verdict in verdicts if verdict.applies]
            failed = (verdict for verdict in counted if verdict.status is not Status.PASSED)
            remarked = (verdict for verdict in counted if verdict.remark is not None)
            return next(iter((*failed, *remarked, *counted)), Verdict(Status.SKIPPED, _NONE, applies=False))
    if mismatch := compare(expected, wide) or compare(expected, narrow):
        return Verdict(Status.FAILED, mismatch.text if seen.case.public else mismatch.secret)
    return Verdict(Status.SKIPPED, _NONE, applies=False)


def _precision(seen: JudgeInput, wide: Array | float, narrow: Array | float, expected: Array) -> Verdict:
    for given, result in (("float64", wide), ("float32", narrow)):
        got = result.dtype if isinstance(result, Array) else given  # a number of Python's has no dtype to keep
        if got != given and (seen.array_type == "torch" or got != "float64"):
            text = _OTHER.fill(given=given, got=got) if seen.case.public else _NOT_KEPT
            return Verdict(Status.FAILED, text)
    options = read(seen.spec, Options)
    if mismatch := compare(expected, wide, options.rtol, options.atol):
        coarse = compare(expected, wide) is None
        return Verdict(Status.FAILED, _LOSS if coarse else mismatch.secret)
    promoted = isinstance(narrow, Array) and narrow.dtype == "float64"
    return Verdict(Status.PASSED, remark=_PROMOTED if promoted else None)


def alone(verdict: Verdict) -> Text | None:
    """What is said if only this check fails: not that the type is wrong if the numbers are."""
    if verdict.message == _LOSS:
        return _COARSE
    return None if verdict.message in SHARED else KIND.alone

"""Gradients reach every argument and parameter that the reference's gradients reach, and they agree. Torch only.

## What it checks

The gradients of a loss with respect to all arrays among the arguments, and to the parameters of a class. The loss is
nonlinear in the output, because the gradient of a plain sum never reaches queries and keys. First come gradients that
are missing (a cut in the graph), then wrong ones. Where a case has masks, gradients are computed once more with a
query that may attend to no key; NaN there is remarked on in public cases and costs no points. NumPy code has no
gradients, so the points of this check go to the others; code that takes NumPy arrays and computes with torch fails.

## Why it matters

A model whose graph is cut by `detach`, `no_grad`, `.item()` or a new tensor made from numbers gives correct results
and never learns.

## Options

- `rtol`: the relative tolerance.
- `atol`: the absolute tolerance.

## Example

```yaml
function: scaled_scores
signature: (q, k)
reference: scores.scaled_scores
cases:
  - {name: a batch, public: true, args: {q: {normal: [2, 4, 6]}, k: {normal: [2, 7, 6]}}}
checks:
  - {gradients: {on: [a batch], weight: 0.4}}
mistakes:
  - {misconception: cut, body: "return q @ k.detach().mT / q.shape[-1] ** 0.5", fails: [gradients]}
```

## Source

PyTorch documentation, torch.autograd.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.core.model import Apply, Array, CheckSpec, Message, Observation, Program, Returned, Same, Status, Verdict
from grader.core.text import name_list
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.compare import compare
from grader.grading.failures import failure_verdict, reference_failure
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer
from grader.grading.properties import is_mask


@dataclass(frozen=True, slots=True)
class Options:
    """Tolerances."""

    rtol: float = 1e-3
    atol: float = 1e-4


KIND = CheckKind(
    Message("gradients", "check"),
    Options,
    alone=Message("Every result is correct; only the gradients are wrong or missing."),
    reference=True,
    failures=True,
)


_CUT_ALL = Message(
    "no gradient flows back from the result: is it detached, computed under `no_grad`, or rebuilt from numbers?"
)
_CUT = Message("no gradient reaches {names}: the path from there to the result is cut")
_CUT_SOME = Message("no gradient reaches some of the inputs or parameters: the path from there to the result is cut")
_WRONG_SOME = Message("one of the gradients differs from the expected one")
_WRONG = Message("the gradient with respect to {name} differs from the expected one")
_POISONED = Message(
    "as soon as a query may not attend to any key, gradients are NaN, and one training step makes weights NaN; no "
    "points are lost. The cause is a softmax over a row of `-inf`, which `nan_to_num` hides in the result only: "
    "`scores.masked_fill(~mask, -inf)` before the softmax and `weights.masked_fill(~mask, 0)` after it keep them finite"
)
_THROUGH_TORCH = Message(
    "this code takes NumPy arrays and computes with torch, so no gradient flows back: take tensors, return tensors"
)
_NUMPY = Message("gradients are checked in torch only")
SECRETS = (_CUT_ALL, _CUT_SOME, _WRONG_SOME, _THROUGH_TORCH, _NUMPY)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """A call on leaves that require gradients, and the gradients with respect to all of them; with masks, twice."""
    asked = [drawn]
    if any(is_mask(value) for _, value in drawn.args):
        asked.append(replace(drawn, args=tuple((name, _without_keys(value)) for name, value in drawn.args)))
    return tuple(_program(target, inputs) for inputs in asked)


def _program(target: Target, drawn: Drawn) -> Program:
    writer = Writer.to(target)
    if target.array_type == "numpy":
        return writer.program(*writer.counted_call(drawn, False))
    made, filled = writer.instance(drawn)
    if filled is not None:
        writer.add(Apply("collect_gradients", (filled,)))
    called = writer.call(drawn, instance=made, requires_grad=True)
    arrays = _arrays(drawn)
    leaves = [ref for name, ref in called.arguments if name in arrays]
    got = writer.add(Apply("gradients", (called.output, leaves, filled)))
    return writer.program(got)


def _without_keys(value: Any) -> Any:
    """A mask that is False in the first row of its last two axes; other values unchanged."""
    if not is_mask(value):
        return value
    changed = value.copy()
    changed[..., 0, :] = False
    return changed


def signature(got: tuple[Observation, ...], drawn: Drawn, spec: CheckSpec) -> tuple[Observation, ...]:
    """The gradients that are judged, without those that only lead to a remark."""
    return got[:1]


def names(seen: JudgeInput) -> list[str]:
    """The names of what the gradients are with respect to: the array arguments, then the parameters, sorted."""
    return [*_arrays(seen.drawn), *sorted(name for name, _ in seen.drawn.parameters)]


def _arrays(drawn: Drawn) -> list[str]:
    return [name for name, value in drawn.args if isinstance(value, (np.ndarray, Same))]


def judge(seen: JudgeInput) -> Verdict:
    """Looks for missing gradients, then for wrong ones."""
    if bad := reference_failure(seen.expected[:1]) or failure_verdict(seen.got[:1], seen.case):
        return bad
    match seen.got, seen.expected:
        case (Returned((got, counts)), *_), _ if seen.array_type == "numpy":
            return _without_torch(got, counts)
        case (Returned((got,)), *more), (Returned((list() as expected,)), *_):
            verdict = _compare(seen, got, expected)
            # Only in a public case: in a hidden one, code could reveal its inputs by this.
            poisoned = verdict.status is Status.PASSED and seen.case.public and any(map(_has_nan, more))
            return replace(verdict, remark=_POISONED) if poisoned else verdict
    raise ValueError("the reference gave no gradients")


def _has_nan(seen: Observation) -> bool:
    match seen:
        case Returned((list() as gradients,)):
            floats = [
                array.values for array in gradients if isinstance(array, Array) and array.values.dtype.kind == "f"
            ]
            return any(bool(np.isnan(values).any()) for values in floats)
    return False


def _without_torch(got: object, counts: object) -> Verdict:
    """Skips NumPy code. Torch code that takes NumPy arrays has no graph back to them, and fails."""
    if isinstance(got, Array) and got.container == "torch":
        return Verdict(Status.FAILED, _CUT_ALL)
    match counts:
        case {"work": 0}:
            return Verdict(Status.SKIPPED, _NUMPY, applies=False)
    return Verdict(Status.FAILED, _THROUGH_TORCH)


def _compare(seen: JudgeInput, got: object, expected: list[object]) -> Verdict:
    if not isinstance(got, list) or len(got) != len(expected):
        return Verdict(Status.FAILED, _CUT_ALL)
    pairs = list(zip(names(seen), expected, got, strict=True))
    # The same array given twice has one gradient, reported under its first name.
    repeated = {name for name, value in seen.drawn.args if isinstance(value, Same)}
    pairs = [(name, e, g) for name, e, g in pairs if isinstance(e, Array) and name not in repeated]
    if cut := [name for name, e, g in pairs if not isinstance(g, Array) and np.any(e.values)]:  # type: ignore[attr-defined]
        return Verdict(Status.FAILED, _CUT.fill(names=name_list(cut)) if seen.case.public else _CUT_SOME)
    options = read(seen.spec, Options)
    for name, e, g in pairs:
        if isinstance(g, Array) and (mismatch := compare(e, g, options.rtol, options.atol)):
            if seen.case.public:
                return Verdict(Status.FAILED, _WRONG.fill(name=name), mismatch.difference)
            return Verdict(Status.FAILED, _WRONG_SOME)
    return Verdict(Status.PASSED)

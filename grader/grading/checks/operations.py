"""The work grows with a size as it should; it is counted, never timed. Torch only.

## What it checks

One call for each size is counted (`grader/sandbox/inside/counting.py` says what counts as work), and the growth is
read off the first and the last one: twice the size may take less than 2.6 times the work for linear growth, and must
take more than 3.2 times the work for quadratic growth. In between there is no verdict. Work that was done in NumPy is
not counted: too much work in torch is too much anyway, but little work in torch alone proves nothing. Without a
verdict, the points go to the other checks.

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
from typing import Any, Literal, TypeAlias

from grader.core.errors import CourseError
from grader.core.model import Apply, CheckSpec, Observation, Program, Returned, Status, Text, Verdict
from grader.grading.checks import JudgeInput, read
from grader.grading.failures import failure_verdict
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

REFERENCE = False
WEIGHT = 1.0
EVERY_CASE = False


@dataclass(frozen=True, slots=True)
class Options:
    """The symbol that grows, its values, and how the work may grow with it."""

    of: str = ""
    at: tuple[int, ...] = ()
    growth: Literal["linear", "quadratic"] = "linear"


#: Twice the size makes less than 2.6 times the work: linear; more than 3.2 times: quadratic.
_LINEAR, _QUADRATIC = math.log2(2.6), math.log2(3.2)

#: More work than any machine can do.
_MOST = 1 << 62

GrowthRate: TypeAlias = Literal["linear", "quadratic", "between", "nothing"]

_TOO_MUCH = Text(
    "{ratio} times the work when {symbol} grows {factor:g}-fold: that is quadratic in {symbol}; expected linear. "
    "Which step handles every pair of positions (an n × n array, or all earlier positions again at each step)?",
    "{symbol} 变成 {factor:g} 倍时，计算量变成 {ratio} 倍：随 {symbol} 平方增长，应为线性增长。"
    "哪一步处理了每一对位置（n × n 的数组，或者每一步都从头重算前面的所有位置）？",
)
_TOO_LITTLE = Text(
    "{ratio} times the work when {symbol} grows {factor:g}-fold: that is linear in {symbol}; expected quadratic",
    "{symbol} 变成 {factor:g} 倍时，计算量只变成 {ratio} 倍：随 {symbol} 线性增长，应为平方增长",
)
_MORE = Text(
    "the work grows faster with the size than it should: linear is expected",
    "计算量随规模增长得太快：应为线性增长",
)
_LESS = Text(
    "the work grows more slowly with the size than it should: quadratic is expected",
    "计算量随规模增长得太慢：应为平方增长",
)
_NOTHING = Text(
    "work is counted in torch only, and not all of it was done there",
    "只统计 torch 中的计算量，而这里的计算并不都在 torch 中",
)
_BETWEEN = Text(
    "no verdict: the work grows {ratio}-fold when {symbol} grows {factor:g}-fold",
    "无法判定：{symbol} 变成 {factor:g} 倍时，计算量变成 {ratio} 倍",
)
_NO_SIZES = Text(
    "{exercise}, check operations: expected options such as {{of: n, at: [128, 256], growth: linear}}",
    "{exercise} 的检查 operations：应有选项，如 {{of: n, at: [128, 256], growth: linear}}",
)
SECRETS = (_MORE, _LESS, _NOTHING)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One counted call for each size."""
    if not drawn.larger:
        raise CourseError(_NO_SIZES.fill(exercise=target.exercise.name))
    return tuple(_counted(target, inputs) for inputs in (drawn, *drawn.larger))


def _counted(target: Target, inputs: Drawn) -> Program:
    writer = Writer.to(target)
    instance, _ = writer.instance(inputs)
    counter = writer.add(Apply("counter", (False,)))
    writer.call(inputs, instance=instance, before=Apply("watch", (counter,)))
    return writer.program(writer.add(Apply("counted", (counter,))))


def judge(seen: JudgeInput) -> Verdict:
    """Quadratic work fails, wherever it is done. Linear work passes only if all of it was counted in torch."""
    if bad := failure_verdict(seen.got, seen.case):
        return bad
    if len(seen.got) < 2:
        raise ValueError("operations asks for one program for each size")
    growth, ratio, factor = _growth(seen.got, seen.spec)
    options = read(seen.spec, Options)
    expected = options.growth
    said = {"ratio": f"{ratio:.1f}", "factor": factor, "symbol": options.of}
    outside = seen.array_type == "numpy" or any(counts["exits"] for counts in _counts(seen.got))
    if growth == "nothing" or (growth == "linear" and outside):
        return Verdict(Status.SKIPPED, _NOTHING, applies=False)
    if growth == "between":
        return Verdict(Status.SKIPPED, _BETWEEN.fill(**said), applies=False)
    if growth == expected:
        return Verdict(Status.PASSED)
    if not seen.case.public:  # learner code could choose the exact number
        return Verdict(Status.FAILED, _MORE if expected == "linear" else _LESS)
    return Verdict(Status.FAILED, (_TOO_MUCH if expected == "linear" else _TOO_LITTLE).fill(**said))


def signature(got: tuple[Observation, ...], drawn: Drawn, spec: CheckSpec) -> tuple[Observation, ...]:
    """The growth alone: equivalent programs rarely do exactly the same work."""
    if all(isinstance(seen, Returned) for seen in got):
        return (Returned((_growth(got, spec)[0],)),)
    return got


def _counts(got: tuple[Observation, ...]) -> list[dict[str, Any]]:
    """What each program counted. Learner code could have changed it, so its types are checked."""
    found = []
    for seen in got:
        counts = seen.values[0] if isinstance(seen, Returned) else None
        counts = counts if isinstance(counts, dict) else {}
        work = counts.get("work")
        found.append({"work": min(work, _MOST) if type(work) is int else 0, "exits": counts.get("exits") is not False})
    return found


def _growth(got: tuple[Observation, ...], spec: CheckSpec) -> tuple[GrowthRate, float, float]:
    """How the work grows from the first size to the last, with the two factors."""
    works = [counts["work"] for counts in _counts(got)]
    at = read(spec, Options).at
    factor = at[-1] / at[0]
    if min(works) <= 0:
        return "nothing", 0.0, factor
    ratio = works[-1] / works[0]
    power = math.log(ratio) / math.log(factor)
    return "linear" if power < _LINEAR else "quadratic" if power > _QUADRATIC else "between", ratio, factor

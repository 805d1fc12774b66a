"""The scores are divided by the correct power of d_k, which is measured exactly, even through the softmax.

## What it checks

The inputs are the check's own. One key gets the value 1 and the others 0, so the output is the weight of that key,
and its logit is the scaled score. Each size is varied by itself (d_k, d_model, d_v, the number of keys, the number of
heads), so the message can say what the scores were divided by instead: nothing, d_k without the root, √d_model, a
fixed number. Only the signature of the exercise counts: `(q, k)`, `(q, k, v)`, either with `num_heads`, `(x, w_q,
w_k, w_v)`, or a class of `d_model` and `num_heads`, whose projections are set to the identity.

## Why it matters

Forgetting the scale, or its root, is the most common mistake in attention. `values` reports it as a wrong number;
this check names it.

## Options

- `d_k`: the widths to try; by default those that suit the signature.
- `power`: the expected power of d_k: 0.5 for √d_k, 0 for no scaling.

## Example

```yaml
function: scaled_dot_product_attention
signature: (q, k, v, mask=None)
reference: attention.scaled_dot_product_attention
cases:
  - {name: a batch, public: true, args: {q: {normal: [2, 4, 6]}, k: {normal: [2, 7, 6]}, v: {normal: [2, 7, 3]}}}
checks:
  - {scaling: {d_k: [4, 9, 16], power: 0.5, weight: 0.4}}
mistakes:
  - {misconception: no-root, replace: "math.sqrt(d_k)", with: "d_k", fails: [scaling]}
```

## Source

Vaswani et al. 2017, equation 1 and footnote 4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.core import marks
from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Exercise, Message, Program, Status, Text, Verdict
from grader.core.text import EMPTY
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.inputs import Drawn
from grader.grading.programs import Target
from grader.grading.properties import SHARED, Floats, program, require_shape, results


@dataclass(frozen=True, slots=True)
class Options:
    """The widths to try (``None``: what suits the signature), and the expected power of d_k."""

    d_k: tuple[int, ...] | None = None
    power: float = 0.5


KIND = CheckKind(Message("scaling", "check"), Options)


_QUERIES, _KEYS, _VALUES = ("q", "query", "queries"), ("k", "key", "keys"), ("v", "value", "values")
_SCORE = -4.0  # below zero: the weight is small, and floats near 0 are finer than those near 1
_NEAR = 0.01

_DIVIDED = Message("your scores are divided by ${got}$; expected {expected}{reason}")
_MULTIPLIED = Message("your scores are multiplied by ${got}$; expected a division by {expected}")
_IRREGULAR = Message("your scores are divided by ${got}$ for $d_k = {widths}$; expected {expected}")
_NOTHING = Message("1 (no scaling)")
_NO_SOFTMAX = Message(
    "twice the score does not give twice the logit: the weights are not the softmax of scaled scores $q·k$"
)
_UNREADABLE = Message(
    "the scale of the scores cannot be read: the output is not a weighted average of the values with weights "
    "between 0 and 1"
)

_ROOT = Message(". The square root is missing: the variance of $q·k$ is $d_k$, its standard deviation $√d_k$")
_MODEL = Message(". Each head takes products of $d_k = d_model / h$ numbers, so $d_k$ matters, not $d_model$")
_OTHERS = {
    "n": Message(". The number of keys does not affect the size of one score"),
    "d_v": Message(". Scores are products of $q$ and $k$; they do not involve the width of the values"),
    "h": Message(". Heads work in parallel; their number does not affect the size of one score"),
}
_SECRET = Message("the scores are not scaled as they should be")
_OTHER_ARGUMENT = Message(
    "{exercise}, check scaling: the argument {name} has no place in this check; expected `(q, k)`, `(q, k, v)`, "
    "`(x, w_q, w_k, w_v)`, …"
)
SECRETS = (_SECRET, *SHARED)


@dataclass(frozen=True, slots=True)
class Probe:
    """The sizes of one call; ``score`` is q·k of the first key, the other keys have 0."""

    d_k: int
    n: int = 2
    d_v: int = 2
    h: int = 1
    d_model: int = 16
    score: float = _SCORE


def _reads(exercise: Exercise) -> tuple[str, ...]:
    """The names of the required arguments; for a class those of ``forward``."""
    taken = exercise.forward if exercise.kind == "class" else exercise.parameters
    return tuple(parameter.name for parameter in taken if parameter.required)


def _free(exercise: Exercise) -> tuple[str, ...]:
    """The sizes that can be varied besides d_k."""
    names = _reads(exercise)
    if exercise.kind == "class" or "num_heads" in names:
        return ("n", "h")
    if "w_q" in names:
        return ("n", "d_v", "d_model")
    return ("n", "d_v") if set(names) & set(_VALUES) else ("n",)


def _probes(exercise: Exercise, spec: CheckSpec) -> list[Probe]:
    """Each width; one of them with twice the score; and with each other size four times as large."""
    widths = read(spec, Options).d_k or ((4, 16, 64) if exercise.kind == "class" else (4, 16, 64, 256))
    base = Probe(widths[1])
    varied = [replace(base, **{size: 4 * getattr(base, size)}) for size in _free(exercise)]
    return [*map(Probe, widths), replace(base, score=2 * _SCORE), *varied]


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One program for each probe: a class has other sizes each time."""
    return tuple(program(target, inputs(target.exercise, probe)) for probe in _probes(target.exercise, spec))


def inputs(exercise: Exercise, probe: Probe) -> Drawn:
    """The arguments of ``exercise`` for a probe. Raises CourseError for a signature that has no place for them."""
    several = exercise.kind == "class" or "num_heads" in _reads(exercise)
    width = probe.d_k * probe.h
    q, k, v = (
        np.ones((probe.n, width)),
        np.zeros((probe.n, width)),
        np.zeros((probe.n, width if several else probe.d_v)),
    )
    k[0], v[0] = probe.score / probe.d_k, 1.0
    tokens = np.eye(probe.n, probe.d_model)  # token i chooses row i of a projection

    def projection(rows: Floats) -> Floats:
        return np.concatenate((rows, np.zeros((probe.d_model - probe.n, rows.shape[1]))))

    given: dict[str, Any] = {"num_heads": probe.h, "d_model": width, "x": tokens, "memory": tokens}
    given |= {name: value[None] for names, value in ((_QUERIES, q), (_KEYS, k), (_VALUES, v)) for name in names}
    given |= {f"w_{role}": projection(rows) for role, rows in (("q", q), ("k", k), ("v", v))}
    made = [p.name for p in exercise.parameters if p.required] if exercise.kind == "class" else []
    for name in (*_reads(exercise), *made):
        if name not in given:
            raise CourseError(_OTHER_ARGUMENT.fill(exercise=exercise.name, name=name))
    parameters = tuple((f"w_{role}", np.eye(width)) for role in "qkvo") if made else ()
    return Drawn(_values(_reads(exercise), given), _values(made, given), parameters)


def _values(names: Any, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, given[name]) for name in names)


def judge(seen: JudgeInput) -> Verdict:
    """The scale of every probe, then the law behind them."""
    exercise, probes = seen.exercise, _probes(seen.exercise, seen.spec)
    arrays = results(seen.got, seen.case, len(probes))
    for probe, result in zip(probes, arrays, strict=True):
        require_shape((result,), _shape(exercise, probe), seen.case.public)
    softmax = exercise.kind == "class" or "w_q" in _reads(exercise) or bool(set(_reads(exercise)) & set(_VALUES))
    scales = [_scale(result, probe, softmax) for result, probe in zip(arrays, probes, strict=True)]
    text = _unreadable(scales, probes) or _law(scales, probes, read(seen.spec, Options).power)
    if text is None:
        return Verdict(Status.PASSED)
    return Verdict(Status.FAILED, text if seen.case.public else _SECRET)


def _shape(exercise: Exercise, probe: Probe) -> tuple[int, ...]:
    names = _reads(exercise)
    if exercise.kind == "class" or "num_heads" in names:
        return (1, probe.n, probe.d_k * probe.h)
    if "w_q" in names:
        return (probe.n, probe.d_v)
    return (1, probe.n, probe.d_v if set(names) & set(_VALUES) else probe.n)


def _scale(result: Floats, probe: Probe, softmax: bool) -> float:
    """What q·k is multiplied by; NaN where it cannot be read. The last query may see all keys, causal or not."""
    value = float(result.reshape(-1, result.shape[-1])[-1, 0])
    if softmax:
        if not 0 < value < 1:
            return math.nan
        value = math.log(value) - math.log1p(-value) + math.log(probe.n - 1)
    return value / probe.score


def _unreadable(scales: list[float], probes: list[Probe]) -> Text | None:
    """Why no law can be fitted, if there is a reason."""
    if any(math.isnan(scale) for scale in scales):
        return _UNREADABLE
    if any(abs(scale) < 1e-6 for scale in scales):
        return Message("the scores $q·k$ do not affect the result: all keys get the same weight")
    if all(scale < 0 for scale in scales):
        return Message("a key with a smaller score $q·k$ gets a larger weight: is a sign flipped?")
    if any(scale < 0 for scale in scales):
        return _NO_SOFTMAX
    index = next(index for index, probe in enumerate(probes) if probe.score != _SCORE)
    once = scales[probes.index(replace(probes[index], score=_SCORE))]
    return None if abs(scales[index] / once - 1) < _NEAR else _NO_SOFTMAX


def _law(scales: list[float], probes: list[Probe], power: float) -> Text | None:
    """Divisor = c · d_k^a · n^b · …: None when it is d_k^power, else what it is instead."""
    last = next(index for index, probe in enumerate(probes) if probe.score != _SCORE)
    widths = [probe.d_k for probe in probes[:last]]
    divisors = [-math.log(scale) for scale in scales]
    a, constant = np.polyfit(np.log(widths), divisors[:last], 1)
    expected = marks.formula(_power("d_k", power)) if power else _NOTHING
    if np.abs(np.polyval((a, constant), np.log(widths)) - divisors[:last]).max() > 2 * _NEAR:
        got = ", ".join(f"{math.exp(divisor):.3g}" for divisor in divisors[:last])
        return _IRREGULAR.fill(got=got, widths=", ".join(map(str, widths)), expected=expected)
    base, at_base = probes[1], divisors[1]
    powers = {"d_k": float(a)}
    for probe, divisor in zip(probes[last + 1 :], divisors[last + 1 :], strict=True):
        size = next(name for name in ("n", "d_v", "h", "d_model") if getattr(probe, name) != getattr(base, name))
        powers[size] = (divisor - at_base) / math.log(4)
        constant -= powers[size] * math.log(getattr(base, size))
    off = {size for size, exponent in powers.items() if abs(exponent - (power if size == "d_k" else 0)) > _NEAR}
    if not off and abs(constant) < _NEAR:
        return None
    return _said(powers, float(np.exp(constant)), expected)


def _power(size: str, power: float) -> str:
    return f"{size}^{power:.2f}"


def _said(powers: dict[str, float], constant: float, expected: Any) -> Text:
    """The law in words, with the usual cause."""
    reason = _reason(powers, constant)
    if reason is _MODEL and "d_model" not in powers:  # its two factors as one
        powers = {"d_model": powers["d_k"]}
    factors = {size: exponent for size, exponent in powers.items() if abs(exponent) > _NEAR}
    fixed = abs(constant - 1) > 2 * _NEAR
    if not factors and not fixed:
        return Message("your scores are not divided by anything; expected {expected}").fill(expected=expected)
    multiplied = all(exponent < 0 for exponent in factors.values()) and constant < 1 + _NEAR
    sign = -1 if multiplied else 1
    words = [f"{constant**sign:.3g}"] * fixed + [_power(size, sign * exponent) for size, exponent in factors.items()]
    return (_MULTIPLIED if multiplied else _DIVIDED).fill(got=" · ".join(words), expected=expected, reason=reason)


def _reason(powers: dict[str, float], constant: float) -> Text:
    width = powers["d_k"]
    if abs(powers.get("d_model", 0.0)) > _NEAR or (width > _NEAR and abs(powers.get("h", 0.0) - width) < _NEAR):
        return _MODEL
    for size, reason in _OTHERS.items():
        if abs(powers.get(size, 0.0)) > _NEAR:
            return reason
    if abs(width) < _NEAR:
        return Message(". A fixed number is right for one $d_k$ only")
    return _ROOT if abs(width - 1) < _NEAR and abs(constant - 1) < _NEAR else EMPTY

"""The result is the correct one times a constant.

## What it says

The factor, and what it is in terms of the case: 2, h, d_k, √d_k, 1/√d_k, ln 2 and so on. If it is none of these and
differs from case to case, the relation says that there is one factor per case.

## Example

Scores without the division by √d_k are √d_k times too large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.grading.explaining.relations import Pair, array_arguments, has_enough_distinct, near, number_arguments

RANK = 20
_SAYS = Message("Your result is the correct one times {factor}.")
_UNKNOWN = Message("Your result is the correct one times a constant ({example} in case “{case}”).")
_FORMS: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("{n}", lambda n: n),
    ("√{n}", lambda n: math.sqrt(n)),
    ("1/{n}", lambda n: 1 / n),
    ("1/√{n}", lambda n: 1 / math.sqrt(n)),
    ("{n}²", lambda n: n * n),
    ("1/{n}²", lambda n: 1 / (n * n)),
    ("{n}/({n} − 1)", lambda n: n / (n - 1)),
    ("({n} − 1)/{n}", lambda n: (n - 1) / n),
    ("√({n}/({n} − 1))", lambda n: math.sqrt(n / (n - 1))),
    ("2/{n}", lambda n: 2 / n),
    ("{n}/2", lambda n: n / 2),
)
_CONSTANTS = (
    ("2", 2.0), ("1/2", 0.5), ("3", 3.0), ("1/3", 1 / 3), ("4", 4.0), ("1/4", 0.25), ("8", 8.0), ("1/8", 0.125),
    ("10", 10.0), ("1/10", 0.1), ("100", 100.0), ("1/100", 0.01), ("1000", 1000.0), ("1/1000", 1e-3),
    ("1024", 1024.0), ("√2", math.sqrt(2)), ("1/√2", math.sqrt(0.5)), ("ln 2", math.log(2)),
    ("1/ln 2", 1 / math.log(2)), ("ln 10", math.log(10)), ("1/ln 10", 1 / math.log(10)),
    ("2/3", 2 / 3), ("3/2", 1.5), ("3/4", 0.75), ("4/3", 4 / 3), ("π", math.pi), ("1/π", 1 / math.pi),
    ("10⁶", 1e6), ("10⁻⁶", 1e-6), ("10⁹", 1e9), ("10⁻⁹", 1e-9), ("10¹²", 1e12), ("10⁻¹²", 1e-12),
)  # fmt: skip


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The factor, if there is one that is not 1 or −1."""
    found = [_factor(pair) for pair in pairs]
    factors = [each for each in found if each is not None]
    if len(factors) < len(pairs) or not has_enough_distinct(pairs):
        return None
    for said, value in _CONSTANTS:
        if all(math.isclose(each, value, rel_tol=2e-4) for each in factors):
            return _SAYS.fill(factor=said)
    named = [dict(_named(pair)) for pair in pairs]
    for said, value in named[0].items():
        if math.isclose(factors[0], value, rel_tol=2e-4) and all(
            said in names and math.isclose(each, names[said], rel_tol=2e-4)
            for names, each in zip(named, factors, strict=True)
        ):
            return _SAYS.fill(factor=_in_words(said, pairs[0]))
    if sum(pair.expected.size for pair in pairs) - len(pairs) < 3:
        return None  # with one number in each case, one is always a multiple of the other
    if all(math.isclose(each, factors[0], rel_tol=2e-4) for each in factors):
        return _SAYS.fill(factor=f"{factors[0]:.4g}")
    return _UNKNOWN.fill(example=f"{factors[0]:.4g}", case=pairs[0].case)


def _factor(pair: Pair) -> float | None:
    if not pair.alike or pair.expected.dtype.kind == "b":
        return None
    got, expected = pair.got.astype(np.float64).ravel(), pair.expected.astype(np.float64).ravel()
    sure = np.isfinite(expected) & np.isfinite(got)
    if not sure.any() or not (total := float((expected[sure] ** 2).sum())):
        return None
    factor = float((got[sure] * expected[sure]).sum() / total)
    trivial = math.isclose(abs(factor), 1, rel_tol=1e-4) or abs(factor) < 1e-12
    # Divided by the factor, so that a small one cannot hide a difference.
    return None if trivial or not near(pair.got / factor, pair.expected) else factor


def _named(pair: Pair) -> Iterator[tuple[str, float]]:
    """Expressions in the sizes of a case, with their values."""
    for what, n in _sizes(pair):
        for form, value in _FORMS:
            if n > 2 or (n == 2 and "−" not in form):
                yield form.replace("{n}", f"[{what}]"), value(n)


def _sizes(pair: Pair) -> Iterator[tuple[str, float]]:
    for name, value in number_arguments(pair.drawn):
        yield name, float(value)
    for name, array in array_arguments(pair.drawn):
        for axis in range(-1, -array.ndim - 1, -1):
            yield f"{name}.shape[{axis}]", float(array.shape[axis])


def _in_words(said: str, pair: Pair) -> str:
    """``√[q.shape[-1]]`` as ``√q.shape[-1] (here 2.83)``."""
    value = dict(_named(pair))[said]
    plain = said
    for what, _ in _sizes(pair):
        plain = plain.replace(f"[{what}]", what)
    return f"{plain} = {value:.4g}"

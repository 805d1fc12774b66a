"""The result is the correct one times a constant.

## What it says

The factor, and what it is in terms of the case: 2, h, d_k, √d_k, 1/√d_k, ln 2 and so on. If it is none of these and
differs from case to case, the relation says that there is one factor per case.

## Example

Scores without the division by √d_k are √d_k times too large.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from grader.core.model import Message, Text
from grader.core.tables import table
from grader.grading.explaining.relations import Pair, array_arguments, has_enough_distinct, near, number_arguments

RANK = 20
_SAYS = Message("Your result is the correct one times {factor}.")
_UNKNOWN = Message("Your result is the correct one times a constant ({example} in case “{case}”).")


def relate(pairs: Sequence[Pair]) -> Text | None:
    """The factor, if there is one that is not 1 or −1."""
    found = [_factor(pair) for pair in pairs]
    factors = [each for each in found if each is not None]
    if len(factors) < len(pairs) or not has_enough_distinct(pairs):
        return None
    for said, value in table(__file__, "factor.yaml")["constants"].items():
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
        for form, row in table(__file__, "factor.yaml")["forms"].items():
            power, lower = row["powers"]
            if n > 2 or (n == 2 and not lower):
                yield form.replace("{n}", f"[{what}]"), row["times"] * n**power * (n - 1) ** lower


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

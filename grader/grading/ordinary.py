"""Whether code gives wrong results for ordinary inputs, which costs at least half of an exercise's points.

Weights alone are too mild: one wrong case of many costs little, though nobody could use the function. Inputs are
ordinary if none of the conditions in ``UNUSUAL`` is true of them. Results that are off by rounding, and numbers of
another type (floats for ids), lose the points of their own cases only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grader.core.model import Array, Returned, Status, Verdict
from grader.course import conditions
from grader.grading.checks import JudgeInput
from grader.grading.compare import compare, scalar

#: Conditions under which a wrong result says little about others, by their ids.
UNUSUAL = (
    *("one-position", "long", "large-numbers", "large-offset", "tiny-numbers"),
    *("eps.zero", "n_k.zero", "var_q.zero", "var_k.zero"),
)
#: Relative and absolute error up to which a result is off by rounding alone.
_ROUNDING = 1e-2


def is_wrong(seen: JudgeInput, verdict: Verdict) -> bool:
    """Whether the check ``values`` failed because of a wrong result for ordinary inputs."""
    if seen.spec.kind != "values" or verdict.status is not Status.FAILED:
        return False
    match seen.got, seen.expected:
        case (Returned((got,)),), (Returned((expected,)),):
            return _is_ordinary(seen) and _differs(expected, got)
    return False


def _differs(expected: Any, got: Any) -> bool:
    if isinstance(expected, Array) and isinstance(got, Array) and expected.values.shape != got.values.shape:
        return True  # without a copy as floats: a wrong result may be large
    return compare(_floats(expected), _floats(got), _ROUNDING, _ROUNDING) is not None


def _floats(value: Any) -> Any:
    """The value with every number as a float, so that only their sizes are compared."""
    match value:
        case Array():
            return replace(value, values=value.values.astype(np.float64, copy=False))
        case list() | tuple():
            return [_floats(each) for each in value]
        case bool() | int() | float():
            return _floats(Array(scalar(value), "scalar"))
    return value


def _is_ordinary(seen: JudgeInput) -> bool:
    inputs = conditions.inputs_of(seen.exercise, seen.case, seen.drawn)
    named = [key.rpartition(".") for key in UNUSUAL]
    return not any(conditions.has(conditions.CONDITIONS[of], name, inputs) for name, _, of in named)

"""Diagnosis: which mistake explains what was seen."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.model import Array, Died, Mistake, Observation, Raised, Returned, Status, TimedOut, Verdict
from grader.grading.explaining import mistakes
from grader.grading.explaining.evidence import Evidence
from grader.grading.explaining.mistake import diagnose
from grader.grading.explaining.mistakes import MistakeSignature, agree, same
from tests.explaining import gave, tried
from tests.helpers import array

PASSED, FAILED = Verdict(Status.PASSED), Verdict(Status.FAILED)
GONE = Verdict(Status.SKIPPED, applies=False)


def raised(kind: str) -> tuple[Observation, ...]:
    """One program that raised."""
    return (Raised(kind, "words", None, None),)


def suspect(misconception: str, *observations: tuple[Observation, ...]) -> MistakeSignature:
    """A mistake with what it gives, check by check."""
    return MistakeSignature(Mistake(misconception, (), ()), observations)


NO_SCALE = suspect("no-scale", gave([2.0]), gave([5.0]), gave([1.0]))
NO_MASK = suspect("no-mask", gave([1.0]), gave([7.0]), gave([1.0]))
DETACHED = suspect("detached", gave([1.0]), gave([3.0]), gave([0.0]))
ALWAYS_RAISES = suspect("raises", raised("ValueError"), raised("ValueError"), raised("ValueError"))
SUSPECTS = (NO_SCALE, NO_MASK, DETACHED, ALWAYS_RAISES)


def evidence(*each: tuple[str, tuple[Observation, ...], Verdict]) -> list[Evidence]:
    """What was seen, check by check."""
    made = [(tried("a case", verdict.status, check=check, got=seen), verdict) for check, seen, verdict in each]
    return [replace(seen, verdict=verdict) for seen, verdict in made]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (
            [("values", gave([2.0]), FAILED), ("values", gave([5.0]), FAILED), ("gradients", gave([1.0]), PASSED)],
            "no-scale",
        ),
        (
            [("values", gave([1.0]), PASSED), ("values", gave([3.0]), PASSED), ("gradients", gave([0.0]), FAILED)],
            "detached",
        ),
        # Two things are wrong at once: what makes the values wrong is named all the same.
        (
            [("values", gave([2.0]), FAILED), ("values", gave([5.0]), FAILED), ("gradients", gave([9.0]), FAILED)],
            "no-scale",
        ),
        # A check that does not apply (gradients of NumPy code) says nothing.
        ([("values", gave([1.0]), PASSED), ("values", gave([7.0]), FAILED), ("gradients", (), GONE)], "no-mask"),
        # Wrong in a way that nobody listed.
        ([("values", gave([8.0]), FAILED), ("values", gave([8.0]), FAILED), ("gradients", gave([1.0]), PASSED)], None),
        # Right values are never explained by a mistake in values.
        ([("values", gave([1.0]), PASSED), ("values", gave([3.0]), PASSED), ("gradients", gave([9.0]), FAILED)], None),
        # Code that always raises agrees with nothing, not even with a mistake that always raises.
        ([(check, raised("ValueError"), FAILED) for check in ("values", "values", "gradients")], None),
    ],
)
def test_name(seen: list[Any], expected: str | None) -> None:
    """A failure is named when it agrees with exactly one mistake."""
    found = diagnose(evidence(*seen), SUSPECTS, "torch")
    assert (found.misconception if found else None) == expected


def test_two_that_agree() -> None:
    """Where two mistakes explain a failure equally well, neither is named."""
    twin = suspect("twin", *NO_SCALE.observations)
    seen = evidence(
        ("values", gave([2.0]), FAILED), ("values", gave([5.0]), FAILED), ("gradients", gave([1.0]), PASSED)
    )
    assert diagnose(seen, (NO_SCALE, twin), "torch") is None


@pytest.mark.parametrize(
    ("mine", "theirs", "array_type", "expected"),
    [
        (gave([1.0]), gave([1.00001]), "torch", True),
        (gave([1.0]), gave([1.1]), "torch", False),
        (gave([1.0]), gave([1.0, 2.0]), "torch", False),
        (gave([float("nan")]), gave([float("nan")]), "torch", True),
        (gave([float("nan")]), gave([0.0]), "torch", False),
        (raised("ValueError"), raised("ValueError"), "torch", True),
        (raised("ValueError"), raised("RuntimeError"), "torch", False),
        (raised("ValueError"), raised("RuntimeError"), "numpy", True),
        (raised("ValueError"), gave([1.0]), "numpy", False),
        ((TimedOut(1, "cpu"),), (TimedOut(2, "cpu"),), "torch", True),
        ((TimedOut(1, "cpu"),), (Died(11, None),), "torch", False),
        ((), gave([1.0]), "torch", False),
    ],
)
def test_agree(mine: Any, theirs: Any, array_type: Any, expected: bool) -> None:
    """Observations agree up to rounding, and up to the kind of exception where array types differ."""
    assert agree(mine, theirs, array_type) is expected
    assert not agree(raised("AssertionError"), raised("RuntimeError"), "numpy", "raises")
    assert all(same(x, x, "numpy") and not same(x, 0.0, "numpy") for x in (float("nan"), float("inf")))


@pytest.mark.parametrize(
    ("a", "b", "array_type", "expected"),
    [
        (array([1.0], "float64"), array([1.0]), "torch", False),
        (array([1.0], "float64", "numpy"), array([1.0]), "numpy", True),
        ([array([1.0]), None], [array([1.0]), None], "torch", True),
        ([array([1.0]), None], [array([1.0]), array([0.0])], "torch", False),
        ({"w_q": True}, {"w_q": True}, "torch", True),
        ({"w_q": True}, {"w_k": True}, "torch", False),
        (0.5, Array(array(0.5).values), "torch", True),
        (0.5, array([0.5]), "torch", False),
        (3, 3.0, "torch", True),
        ("a", "a", "torch", True),
        ("a", None, "torch", False),
    ],
)
def test_same(a: Any, b: Any, array_type: Any, expected: bool) -> None:
    """Values are the same by structure, shape and numbers; in torch by dtype, too."""
    assert same(a, b, array_type) is expected


@pytest.mark.parametrize(("check", "named"), [("values", True), ("dtype", False)])
def test_precision_counts_only_where_it_is_checked(check: str, named: bool) -> None:
    """The check of values accepts float64 where the reference has float32, so a mistake made in float64 has a name."""
    known = suspect("twice", (Returned((array([2.0, 4.0]),)),))
    wide = (Returned((array([2.0, 4.0], "float64"),)),)
    found = diagnose([tried("a case", Status.FAILED, check=check, got=wide)], [known], "torch")
    assert (found is not None) == named


_ODD = [0.0, -0.0, 1.0, 1.0005, 1.002, -1.0, 1e-5, 2e-4, 1e308, -1e308, math.inf, -math.inf, math.nan]


def test_closeness_is_that_of_numpy() -> None:
    """For every pair of ordinary and odd numbers, alone and beside equal ones."""
    for one, other in itertools.product(_ODD, _ODD):
        for x, y in ((np.array(one), np.array(other)), (np.array([1.0, one]), np.array([1.0, other]))):
            with np.errstate(all="ignore"):
                expected = np.allclose(x, y, rtol=mistakes._RTOL, atol=mistakes._ATOL, equal_nan=True)
            assert mistakes._close(x, y) == expected, (one, other)
    assert mistakes._close(np.zeros((0, 3)), np.zeros((0, 3)))

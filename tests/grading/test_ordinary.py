"""Which failures of values cost half of an exercise's points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.core.model import CheckSpec, Returned, Status, Verdict
from grader.grading import exercise_results
from grader.grading.checks import JudgeInput
from grader.grading.inputs import Drawn
from tests.helpers import array, case, exercise

ROWS = np.arange(12.0).reshape(3, 4)
X, WRONG = array(ROWS), array(ROWS + 1)


def seen(got: Any, x: Any = ROWS, kind: str = "values", expected: Any = X, **more: Any) -> JudgeInput:
    """A result for an input ``x``."""
    drawn = Drawn((("x", x), *more.items()), (), ())
    values = (Returned((got,)),), (Returned((expected,)),)
    return JudgeInput(exercise("f(x, eps=1e-5)"), case("a"), CheckSpec(kind, 1.0), drawn, *values, "torch")


ORDINARY = [seen(WRONG), seen(array(ROWS[:2])), seen(array(ROWS * np.nan)), seen(WRONG, eps=0.1)]
ORDINARY += [seen([1, 2, 3], expected=[1, 2]), seen([1, 3], expected=[1, 2])]
ROUNDED = [seen(array(ROWS * 1.001)), seen([1.0, 2], expected=[1, 2]), seen((True, 1.0), expected=(1, 1))]
UNUSUAL = [seen(WRONG, x=x) for x in (ROWS[:1], np.zeros((130, 4)), 1000 * ROWS, ROWS / 1000)]
UNUSUAL += [seen(WRONG, eps=0.0), seen(WRONG, kind="dtype"), seen(None, expected=None)]


@pytest.mark.parametrize("given", [*ORDINARY, *ROUNDED, *UNUSUAL])
def test_a_wrong_result_for_ordinary_inputs(given: JudgeInput) -> None:
    """Not a rounding error, a number of another type, another check, or inputs at the edge; and no exception."""
    assert exercise_results.is_wrong(given, Verdict(Status.FAILED)) is (any(given is each for each in ORDINARY))
    assert not exercise_results.is_wrong(given, Verdict(Status.RAISED))

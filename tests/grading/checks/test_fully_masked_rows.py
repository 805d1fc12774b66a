from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.model import Exercise, RandomMask, Status
from grader.grading.checks import fully_masked_rows
from tests.attention import ATTEND, ATTENTION, MODULE, NUMPY, TORCH, edit, first, last
from tests.helpers import array, case, returned, seen


def emptied(exercise: Exercise) -> Exercise:
    """The exercise with a mask whose first row allows nothing."""
    (one,) = exercise.cases
    args = tuple((n, replace(r, empty=(0,)) if isinstance(r, RandomMask) else r) for n, r in one.args)
    return replace(exercise, cases=(replace(one, args=args),))


EXERCISES = (emptied(ATTEND), emptied(ATTENTION))
ROWS = "weights = weights.masked_fill(~mask, 0.0)"
#: However the zeros come there.
PASSES = [
    ("weights set to zero", TORCH),
    ("NumPy", NUMPY),
    ("a module", MODULE),
    ("NaN replaced", edit(TORCH, (ROWS, "weights = torch.nan_to_num(weights)"))),
    ("rows replaced", edit(TORCH, (ROWS, "weights = weights.where(mask.any(-1, keepdim=True), 0)"))),
]
NAN = "softmax over nothing but −inf is 0/0"
MEAN = "a large negative number instead of −inf attends to everything equally"
#: NaN and the mean of all values are explained.
CAUGHT = [
    ("left as they are", edit(TORCH, (ROWS, "pass")), NAN),
    ("left as they are in NumPy", edit(NUMPY, ("np.where(largest == -np.inf, 0, largest)", "largest")), NAN),
    ("left as they are in a module", edit(MODULE, (".masked_fill(~mask, 0.0)", "")), NAN),
    ("−10⁹", edit(TORCH, (ROWS, "pass"), ("-torch.inf", "-1e9")), MEAN),
    ("the smallest float", edit(TORCH, (ROWS, "pass"), ("-torch.inf", "torch.finfo(scores.dtype).min")), MEAN),
    ("−10⁹ in a module", edit(MODULE, (".masked_fill(~mask, 0.0)", ""), ("-torch.inf", "-1e9")), MEAN),
    ("wrong everywhere", edit(TORCH, ("** 0.5", "")), "the values differ"),
    ("NaN everywhere", last(TORCH, "output = output / 0 * 0"), "the result contains NaN"),
    (
        "wrong everywhere, and −10⁹",
        edit(TORCH, ("** 0.5", ""), (ROWS, "pass"), ("-torch.inf", "-1e9")),
        "values differ",
    ),
    ("rows left out", edit(TORCH, ("    return output", "    return output[:, 1:]")), "has shape (2, 3, 2)"),
    ("an exception", first(TORCH, "assert mask.any(-1).all()"), "AssertionError"),
]


@pytest.mark.parametrize("got", [[[0.0, 1.0]], [[0.0, float("nan")]], [[1.0, 0.0], [0.0, 0.0]], [0.0]])
def test_only_a_public_case_shows_numbers(got: object) -> None:
    """A hidden case explains, and shows nothing."""
    pair = [returned(array(got))], [returned(array([[0.0, 0.0]]))]
    hidden = fully_masked_rows.judge(seen("fully_masked_rows", *pair, case=case("hidden", public=False)))
    assert (hidden.status, hidden.difference) == (Status.FAILED, None)
    shown = fully_masked_rows.judge(seen("fully_masked_rows", *pair))
    assert (shown.difference is not None) == (array(got).values.shape == (1, 2))

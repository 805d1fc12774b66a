from __future__ import annotations

import pytest

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Normal
from grader.grading.checks import variance
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from tests.attention import edit
from tests.helpers import case, exercise

TORCH = """
import torch

def scores(q, k):
    d_k = q.shape[-1]
    return q @ k.transpose(-2, -1) / d_k ** 0.5
"""
NUMPY = "import numpy as np\ndef scores(q, k): return q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])"
X = {"q": Normal((2, 3)), "k": Normal((2, 3))}
TWO = CheckSpec("variance", 1.0, (), (("is", 2), ("d_k", [8])))
EXERCISES = (exercise("scores(q, k)", case(**X)), exercise("double(queries, keys)", case(), checks=(TWO,)))
#: Within the bound at every width, in either library.
PASSES = [
    ("torch", TORCH),
    ("NumPy", NUMPY),
    ("shifted", edit(TORCH, ("return ", "return 5 + "))),
    ("another variance", edit(NUMPY, ("scores", "double"), ("np.sqrt(", "np.sqrt(0.5 * "))),
]
#: Observed, expected and bound are told.
CAUGHT = [
    ("unscaled", edit(TORCH, (" / d_k ** 0.5", "")),
        "at d_k = 4 is 4.22 (2000 samples); expected 1 ± 0.17: the variance grows"),
    ("by d_k", edit(TORCH, ("d_k ** 0.5", "d_k")), "expected 1 ± 0.17: the variance shrinks"),
    ("too small by a quarter", edit(TORCH, ("return ", "return 0.87 * ")), "expected 1 ±"),
    ("a constant", edit(TORCH, ("return ", "return 0 * ")), "is 0 (2000 samples)"),
    ("one scale for all", edit(TORCH, ("d_k ** 0.5", "2")), "at d_k = 16 is"),
    ("another shape", edit(TORCH, ("return ", "return q + ")), "expected (2000, 1, 1)"),
    ("twice expected", edit(NUMPY, ("scores", "double")), "expected 2 ±"),
    ("an exception", edit(TORCH, ("d_k **", "x **")), "NameError"),
]  # fmt: skip


def test_the_bound_is_that_of_the_samples() -> None:
    """The spread of estimated variances is what the formula says."""
    import numpy as np

    q, k = np.random.Generator(np.random.PCG64(1)).standard_normal((2, 400, 500, 4))
    estimates = ((q * k).sum(-1) / 2).var(axis=1)
    assert estimates.std() == pytest.approx(variance.standard_error(4, 500), rel=0.1)


def test_a_signature_without_queries_and_keys_is_refused() -> None:
    """A mistake of the bank."""
    one = exercise("softmax(x)", case(x=Normal((3,))))
    with pytest.raises(CourseError, match="softmax, check variance: found softmax"):
        variance.calls(Target(one, "q"), draw(one.cases[0], "softmax", Seed.public()), CheckSpec("variance", 1.0))

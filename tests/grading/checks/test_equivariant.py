from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Literal_, Normal, Same
from grader.grading.checks import equivariant
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from tests.attention import MODULE, edit
from tests.helpers import case, exercise

SELF = """
import torch

def attend(x, w):
    scores = x @ w @ x.transpose(-2, -1)
    return torch.softmax(scores, -1) @ x
"""
NUMPY = """
import numpy as np

def attend(x, w):
    weights = np.exp(x @ w @ x.swapaxes(-2, -1))
    return weights / weights.sum(-1, keepdims=True) @ x
"""
LAYER = edit(MODULE, (".masked_fill(~mask, -torch.inf), -1).masked_fill(~mask, 0.0)", ", -1)"), (", mask)", ")"))
EXERCISES = (
    exercise("attend(x, w)", case(x=Normal((2, 5, 3)), w=Normal((3, 3)))),
    exercise("cross(q, k, v)", case(q=Normal((4, 3)), k=Normal((6, 3)), v=Normal((6, 2))),
        checks=(CheckSpec("equivariant", 1.0, (), (("of", ["q"]),)),)),
    exercise("columns(x)", case(x=Normal((3, 6))),
        checks=(CheckSpec("equivariant", 1.0, (), (("of", "x"), ("axis", -1))),)),
    exercise(
        "Attention(d_model)",
        replace(
            case(query=Normal((2, 5, 4)), key=Same("query")),
            construct=(("d_model", Literal_(4)),),
            parameters=tuple((f"w_{role}", Normal((4, 4))) for role in "qkvo"),
        ),
        forward="forward(query, key)",
        adapter="projections",
    ),
)  # fmt: skip
#: Attention without positions, and whatever treats rows alike.
PASSES = [
    ("self-attention", SELF),
    ("in NumPy", NUMPY),
    ("row by row", "import numpy as np\ndef attend(x, w): return np.tanh(x @ w)"),
    ("a module", LAYER),
    ("queries alone", "import torch\ndef cross(q, k, v): return torch.softmax(q @ k.T, -1) @ v"),
    ("other axes", "def columns(x): return x + x.sum(-1, keepdims=True)"),
    ("the same row everywhere", "import numpy as np\ndef attend(x, w): return x.mean(-2, keepdims=True) + 0 * x"),
]
ORDER = "something depends on the position of a row"
#: Positions, masks and neighbours show; so does what has no rows, or ignores its input.
CAUGHT = [
    ("causal", edit(SELF, ("scores, -1", "scores.tril(), -1")), ORDER),
    ("positions", edit(SELF, ("    scores", "    x = x + torch.arange(5)[:, None] / 9\n    scores")), ORDER),
    ("running sums", "def attend(x, w): return x.cumsum(-2)", ORDER),
    ("neighbours", "import numpy as np\ndef attend(x, w): return x + np.roll(x, 1, -2)", ORDER),
    ("the first row is special", "import torch\ndef attend(x, w): return x + x[:, :1]", ORDER),
    ("sorted", "import torch\ndef attend(x, w): return x.sort(-2).values", "invariant"),
    ("the identity of another axis", "def attend(x, w): return x.sum(-2)", "one row for each row of x"),
    ("a constant", "import torch\ndef attend(x, w): return torch.ones_like(x)", "does not depend on x"),
    ("keys by position", "import torch\ndef cross(q, k, v): return q @ k.T @ v * torch.arange(1, 5)[:, None]", ORDER),
    ("a module with positions", edit(LAYER, ("weights @ v)", "weights @ v).cumsum(-2)")), ORDER),
    ("an exception", "def attend(x, w): raise ValueError", "ValueError"),
    ("booleans", "def attend(x, w): return x > 0", "expected an array of numbers"),
]  # fmt: skip


def test_arguments_of_different_lengths_cannot_be_permuted_together() -> None:
    """A mistake of the bank; three rows are the fewest that say anything."""
    one = exercise(
        "cross(q, k)", case(q=Normal((4, 3)), k=Normal((6, 3))), case("few", q=Normal((2, 3)), k=Normal((2, 3)))
    )
    for each in one.cases:
        with pytest.raises(CourseError, match="cross, check equivariant: found q, k with rows"):
            equivariant.calls(Target(one, "q"), draw(each, "cross", Seed.public()), CheckSpec("equivariant", 1.0))

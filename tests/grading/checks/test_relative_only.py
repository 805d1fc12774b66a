from __future__ import annotations

import pytest

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Integers, Normal
from grader.grading.checks import relative_only
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from tests.attention import edit
from tests.grading.checks.test_norm_preserved import ROPE
from tests.helpers import case, exercise

HALVES = """
import numpy as np

def turn(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 100.0 ** (-np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1)
"""
EXERCISES = (exercise("turn(x, positions)", case(x=Normal((2, 5, 6)), positions=Integers((5,), 0, 20))),)
#: Rotations in any order of pairs, and in either direction: the property does not see these.
PASSES = [
    ("a rotation", ROPE),
    ("the other way round", edit(ROPE, ("positions[:", "-positions[:"))),
    ("halves", HALVES),
    ("one angle", edit(ROPE, ("10000.0 **", "1.0 **"))),
]
ABSOLUTE, NOWHERE = "move by the same amount", "do not depend on the positions"
#: Absolute encodings, and those that leave vectors as they are.
CAUGHT = [
    ("the identity", "def turn(x, positions): return x", NOWHERE),
    ("a reflection", "def turn(x, positions): return -x", NOWHERE),
    ("positions ignored", edit(ROPE, ("positions[:, None]", "torch.arange(x.shape[-2])[:, None]")), NOWHERE),
    ("the angle of the width", edit(ROPE, ("positions[:, None] *", "1 +")), NOWHERE),
    ("added", "import torch\ndef turn(x, positions): return x + torch.sin(positions[:, None] / 7)", ABSOLUTE),
    ("scaled", "def turn(x, positions): return x * (1 + positions[:, None] / 20)", ABSOLUTE),
    ("signs", edit(ROPE, ("() - b", "() + b")), ABSOLUTE),
    ("the square of the position", edit(ROPE, ("positions[:, None]", "positions[:, None] ** 2 / 9")), ABSOLUTE),
    ("another shape", "def turn(x, positions): return x[0]", "expected (2, 5, 6)"),
    ("an exception", "def turn(x, positions): return x[positions]", "IndexError"),
]


@pytest.mark.parametrize("option", ["of", "positions"])
def test_arguments_that_are_not_there_are_named(option: str) -> None:
    """A mistake of the bank."""
    drawn = draw(EXERCISES[0].cases[0], "turn", Seed.public())
    spec = CheckSpec("relative_only", 1.0, (), ((option, "y"),))
    with pytest.raises(CourseError, match=f"turn, check `?relative_only`?, {option}: found 'y'"):
        relative_only.calls(Target(EXERCISES[0], "q"), drawn, spec)

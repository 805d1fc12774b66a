from __future__ import annotations

from grader.core.model import Integers, Normal
from tests.attention import edit
from tests.helpers import case, exercise

ROPE = """
import torch

def turn(x, positions):
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    a, b = x[..., 0::2], x[..., 1::2]
    pairs = (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos())
    return torch.stack(pairs, -1).flatten(-2)
"""
EXERCISES = (exercise("turn(x, positions)", case(x=Normal((2, 5, 6)), positions=Integers((5,), 0, 90))),)
#: Rotations and reflections of whatever kind.
PASSES = [
    ("a rotation", ROPE),
    ("the other way round", edit(ROPE, ("positions[:", "-positions[:"))),
    ("nothing", "def turn(x, positions): return x"),
    ("a permutation", "import numpy as np\ndef turn(x, positions): return np.roll(x, 1, -1)"),
]
#: A common factor is named.
CAUGHT = [
    ("signs", edit(ROPE, ("() - b", "() + b")), "change their length"),
    ("sines alone", edit(ROPE, (".cos()", ".sin()")), "change their length"),
    ("added positions", "def turn(x, positions): return x + positions[:, None]", "change their length"),
    ("a factor", edit(ROPE, ("return ", "return 3 * ")), "becomes 3 times as long"),
    ("half the vector", "def turn(x, positions): return x[..., 0, :3]", "one vector for each vector of x"),
    ("a number", "def turn(x, positions): return 3", "one vector for each vector of x"),
    ("an exception", "def turn(x, positions): return x @ x", "ValueError"),
]

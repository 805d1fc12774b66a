from __future__ import annotations

from dataclasses import replace

import pytest

from grader.core.errors import CourseError
from grader.core.model import CheckSpec, Literal_, Normal
from grader.grading.checks import scaling
from grader.grading.inputs import Seed, draw
from grader.grading.programs import Target
from grader.grading.verdicts import judge
from tests.attention import edit
from tests.helpers import array, case, exercise, returned, seen

SCORES = "def scores(q, k): return q @ k.swapaxes(-2, -1) / q.shape[-1] ** 0.5"
TORCH = """
import torch

def attend(q, k, v, mask=None):
    n, d_k, d_v = k.shape[-2], q.shape[-1], v.shape[-1]
    scores = q @ k.transpose(-2, -1) / d_k ** 0.5
    return torch.softmax(scores, -1) @ v
"""
NUMPY = """
import numpy as np

def attend(q, k, v, mask=None):
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v
"""
CAUSAL = edit(
    TORCH, ("    return", "    scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)\n    return")
)
SELF = """
import torch

def project(x, w_q, w_k, w_v):
    n, d_model, d_k, d_v = *x.shape, w_q.shape[-1], w_v.shape[-1]
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    return torch.softmax(q @ k.T / d_k ** 0.5, -1) @ v
"""
HEADS = """
import torch

def heads(q, k, v, num_heads):
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(-3, -2) for x in (q, k, v))
    d_k, d_model, n = q.shape[-1], q.shape[-1] * num_heads, k.shape[-2]
    weights = torch.softmax(q @ k.transpose(-2, -1) / d_k ** 0.5, -1)
    return (weights @ v).transpose(-3, -2).flatten(-2)
"""
MODULE = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, self.d_model = num_heads, d_model
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        d_k, d_model, h = self.d_model // self.num_heads, self.d_model, self.num_heads
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        q, k, v = (x.unflatten(-1, (h, d_k)).transpose(-3, -2) for x in (q, k, v))
        weights = torch.softmax(q @ k.transpose(-2, -1) / d_k ** 0.5, -1)
        return self.w_o((weights @ v).transpose(-3, -2).flatten(-2))
"""
LOOKUP = "import torch\ndef lookup(q, k, v): return torch.softmax(q @ k.transpose(-2, -1), -1) @ v"
QK = {"q": Normal((2, 3)), "k": Normal((2, 3))}
EXERCISES = (
    exercise("scores(q, k)", case(**QK)),
    exercise("attend(q, k, v, mask=None)", case(**QK, v=Normal((2, 3))), returns="attention"),
    exercise("project(x, w_q, w_k, w_v)", case(x=Normal((2, 3)))),
    exercise("heads(q, k, v, num_heads)", case(**QK)),
    exercise("lookup(query, keys, values)", case(), checks=(CheckSpec("scaling", 1.0, (), (("power", 0),)),)),
    exercise(
        "Attention(d_model, num_heads)",
        replace(case(query=Normal((1, 2, 4))), construct=(("d_model", Literal_(4)), ("num_heads", Literal_(2)))),
        forward="forward(query, key, value, mask=None)",
        adapter="projections",
        returns="attention",
    ),
)
#: In scores, through the softmax, per head, behind projections.
PASSES = [
    ("scores", SCORES),
    ("scores in torch", "import torch\n" + SCORES),
    ("attention", TORCH),
    ("with its weights", edit(TORCH, ("@ v", "@ v, scores"))),
    ("scaled queries", edit(TORCH, ("q @", "q / d_k ** 0.25 @ "), ("/ d_k ** 0.5", "/ d_k ** 0.25"))),
    ("NumPy", NUMPY),
    ("causal", CAUSAL),
    (
        "the library",
        "import torch\nattend = torch.nn.functional.scaled_dot_product_attention\ndef attend(q, k, v, mask=None): "
        "return torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    ),
    ("self-attention", SELF),
    ("heads", HEADS),
    ("a module", MODULE),
    (
        "the library's module",
        "import torch\nclass Attention(torch.nn.MultiheadAttention):\n  def __init__(self, d_model, "
        "num_heads): super().__init__(d_model, num_heads, batch_first=True)",
    ),
    ("none where none belongs", LOOKUP),
]


def by(text: str, divisor: str) -> str:
    """``text`` with another divisor."""
    return edit(text, ("/ d_k ** 0.5", f"/ ({divisor})"))


#: Each scaling is recognised by its law.
CAUGHT = [
    ("scores by d_k", edit(SCORES, ("** 0.5", "")), "divided by d_k^1.00; expected d_k^0.50. The square root"),
    ("scores by nothing", edit(SCORES, (" / q.shape[-1] ** 0.5", "")), "not divided by anything; expected d_k^0.50"),
    ("scores times √d_k", edit(SCORES, ("/", "*")), "multiplied by d_k^0.50; expected a division by d_k^0.50"),
    ("scores by √n", edit(SCORES, ("q.shape[-1]", "q.shape[-2]")), "divided by n^0.50; expected d_k^0.50. The number"),
    ("scores transposed", edit(SCORES, ("k.swapaxes(-2, -1)", "k.swapaxes(-2, -1)[..., :1]")), "has shape (1, 2, 1)"),
    ("by d_k", by(TORCH, "d_k"), "divided by d_k^1.00; expected d_k^0.50. The square root is missing"),
    ("by nothing", by(TORCH, "1"), "not divided by anything; expected d_k^0.50"),
    ("by √d_v", by(TORCH, "d_v ** 0.5"), "divided by d_v^0.50; expected d_k^0.50. Scores are products of q and k"),
    ("by √n", by(TORCH, "n ** 0.5"), "divided by n^0.50; expected"),
    ("by the fourth root", by(TORCH, "d_k ** 0.25"), "divided by d_k^0.25; expected d_k^0.50"),
    ("by 8", by(TORCH, "8"), "divided by 8; expected d_k^0.50. A fixed number"),
    ("by 2√d_k", by(TORCH, "2 * d_k ** 0.5"), "divided by 2 · d_k^0.50; expected"),
    ("by √(d_k·n)", by(TORCH, "(d_k * n) ** 0.5"), "divided by d_k^0.50 · n^0.50; expected"),
    ("by √d_k + 1", by(TORCH, "d_k ** 0.5 + 1"), "divided by 3, 5, 9, 17 for d_k = 4, 16, 64, 256; expected d_k^0.50"),
    ("times 3", by(TORCH, "1 / 3"), "multiplied by 3; expected a division by d_k^0.50"),
    ("NumPy by d_k", edit(NUMPY, ("np.sqrt(k.shape[-1])", "k.shape[-1]")), "divided by d_k^1.00"),
    ("causal by d_k", by(CAUSAL, "d_k"), "divided by d_k^1.00"),
    ("self-attention by √d_model", by(SELF, "d_model ** 0.5"), "divided by d_model^0.50; expected d_k^0.50. Each head"),
    ("self-attention by √n", by(SELF, "n ** 0.5"), "divided by n^0.50"),
    ("self-attention by √d_v", by(SELF, "d_v ** 0.5"), "divided by d_v^0.50"),
    ("heads by √d_model", by(HEADS, "d_model ** 0.5"), "divided by d_model^0.50; expected d_k^0.50. Each head"),
    ("heads by √h", by(HEADS, "num_heads ** 0.5"), "divided by h^0.50; expected d_k^0.50. Heads work in parallel"),
    ("heads by d_k", by(HEADS, "d_k"), "divided by d_k^1.00"),
    ("a module by √d_model", by(MODULE, "d_model ** 0.5"), "divided by d_model^0.50"),
    ("a module by d_k", by(MODULE, "d_k"), "divided by d_k^1.00; expected d_k^0.50. The square root"),
    ("a module by nothing", by(MODULE, "1"), "not divided by anything"),
    ("scaled where nothing belongs", edit(LOOKUP, ("(q @", "(q / q.shape[-1] ** 0.5 @")), "d_k^0.50; expected 1 (no"),
    ("the mean", edit(TORCH, ("torch.softmax(scores, -1) @ v", "v.mean(-2, keepdim=True) + 0 * v")), "do not affect"),
    ("turned round", edit(TORCH, ("q @ k", "-q @ k")), "smaller score q·k gets a larger weight"),
    ("cubes", edit(TORCH, ("torch.softmax(scores", "torch.softmax(scores**3")), "twice the score does not give"),
    ("sigmoid", edit(TORCH, ("torch.softmax(scores, -1)", "torch.sigmoid(scores)")), "twice the score does not give"),
    ("no softmax", edit(TORCH, ("torch.softmax(scores, -1)", "scores")), "cannot be read"),
    ("another shape", edit(TORCH, ("@ v", "@ v[..., :1]")), "has shape (1, 2, 1); expected (1, 2, 2)"),
    ("an exception", edit(TORCH, ("@ v", "@ q @ v")), "RuntimeError"),
]  # fmt: skip


def test_widths_are_an_option() -> None:
    """Three calls for three widths, one for the softmax, one for each other size."""
    spec = CheckSpec("scaling", 1.0, (), (("d_k", [2, 8, 32]),))
    drawn = draw(EXERCISES[1].cases[0], "attend", Seed.public())
    assert len(scaling.calls(Target(EXERCISES[1], "q"), drawn, spec)) == 6


def test_a_signature_without_place_for_scores_is_refused() -> None:
    """A mistake of the bank."""
    one = exercise("attend(q, k, v, distance)", case())
    drawn = draw(one.cases[0], "attend", Seed.public())
    with pytest.raises(CourseError, match="attend, check scaling: the argument distance has no place"):
        scaling.calls(Target(one, "q"), drawn, CheckSpec("scaling", 1.0))


def test_numbers_that_are_no_weights_are_refused() -> None:
    """NaN and kinds of results are told as everywhere."""
    for value, said in ((array([float("nan")]), "NaN"), (None, "is a return missing?")):
        verdict = judge(seen("scaling", [returned(value)] * 7, of=EXERCISES[0]))
        assert verdict.message is not None
        assert said in verdict.message.en

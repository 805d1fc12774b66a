"""Voice 1 from end to end: two typical mistakes at once, as learners make them."""

from __future__ import annotations

import pytest

from tests.helpers import submission
from tests.solving import Bench

FIRST_DRAFT = """
import torch

def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v
"""
STD_PLUS_EPS = """
def layer_norm(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + beta
"""


@pytest.mark.prove
@pytest.mark.parametrize(
    ("exercise", "text", "name"),
    [
        ("scaled_dot_product_attention", FIRST_DRAFT, "softmax-alone-is-attention"),
        ("layer_norm", STD_PLUS_EPS, "std-is-the-root"),
    ],
)
def test_the_commonest_first_drafts(exercise: str, text: str, name: str, bench: Bench) -> None:
    """Attention without scaling and without mask, and a norm that divides by x.std() + eps."""
    found = bench.grade(exercise, submission(draft=text), "public", "torch")
    named = [each.misconception for each in found.diagnosis if each.voice == "mistake"]
    assert named == [name]
    assert (found.misconception, found.message) == (name, found.diagnosis[0].text)

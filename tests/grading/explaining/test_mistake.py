"""Voice 1 from end to end: two typical mistakes at once, as learners make them."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    ("exercise", "text", "names"),
    [
        ("scaled_dot_product_attention", FIRST_DRAFT, ["no-scaling", "mask-is-ignored"]),
        ("layer_norm", STD_PLUS_EPS, ["unbiased-variance", "eps-outside-root"]),
    ],
)
def test_the_commonest_first_drafts(exercise: str, text: str, names: list[str], bench: Bench, tmp_path: Path) -> None:
    """Attention without scaling and without mask, and a norm that divides by x.std() + eps: both mistakes are named."""
    path = tmp_path / exercise / "wrong" / "draft.py"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    found = bench.grade(path, "public", "torch")
    assert [(each.voice, each.misconception) for each in found.diagnosis] == [("mistake", name) for name in names]
    assert (found.misconception, found.message) == (names[0], found.diagnosis[0].text)

"""Attention as exercises for the tests of checks: right sources, to be made wrong by ``edit``."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.core.model import Literal_, Normal, RandomMask
from tests.helpers import case, exercise

TORCH = """\
import torch

def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1)
    weights = weights.masked_fill(~mask, 0.0)
    output = weights @ v
    return output
"""
NUMPY = """\
import numpy as np

def attend(q, k, v, mask):
    scores = q @ k.swapaxes(-2, -1) / q.shape[-1] ** 0.5
    scores = np.where(mask, scores, -np.inf)
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(largest == -np.inf, 0, largest))
    total = weights.sum(-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    output = weights @ v
    return output
"""
MODULE = """\
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, mask):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(key)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1).masked_fill(~mask, 0.0)
        return self.w_o(weights @ v)
"""
PLAIN = """\
import numpy as np

class Attention:
    def __init__(self, d_model):
        self.w_q, self.w_k, self.w_v, self.w_o = np.random.randn(4, d_model, d_model)

    def forward(self, query, key, mask):
        q, k, v = query @ self.w_q, key @ self.w_k, key @ self.w_v
        scores = np.where(mask, q @ k.swapaxes(-2, -1) / q.shape[-1] ** 0.5, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v @ self.w_o
"""
REFERENCE = TORCH + MODULE

ATTEND = exercise(
    "attend(q, k, v, mask)",
    case(q=Normal((2, 4, 3)), k=Normal((2, 5, 3)), v=Normal((2, 5, 2)), mask=RandomMask((2, 4, 5))),
    returns="attention",
)
ATTENTION = exercise(
    "Attention(d_model)",
    replace(
        case(query=Normal((2, 3, 4)), key=Normal((2, 5, 4)), mask=RandomMask((2, 3, 5))),
        construct=(("d_model", Literal_(4)),),
        parameters=tuple((f"w_{role}", Normal((4, 4))) for role in "qkvo"),
    ),
    forward="forward(query, key, mask)",
    adapter="projections",
    returns="attention",
)
EXERCISES = (ATTEND, ATTENTION)


def edit(text: str, *pairs: tuple[str, str]) -> str:
    """``text`` with each first string, which must be in it, replaced by the second."""
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the source"
        text = text.replace(old, new)
    return text


def first(text: str, *lines: str) -> str:
    """``text`` with these lines at the beginning of the function, or of ``forward``."""
    return _insert(text, r"def (attend|forward)\(.*\n", lines)


def last(text: str, *lines: str) -> str:
    """``text`` with these lines before the last return."""
    return _insert(text, r"(?s).*\n(?= *return)", lines)


def made(text: str, *lines: str) -> str:
    """``text`` with these lines at the end of ``__init__``."""
    return _insert(text, r"self\.w_o = .*\n", lines)


def layer(role: str, other: str) -> tuple[str, str]:
    """The edit that makes ``other`` of one of the layers of ``MODULE``."""
    return f"self.w_{role} = nn.Linear(d_model, d_model, bias=False)", f"self.w_{role} = {other}"


def _insert(text: str, after: str, lines: tuple[str, ...]) -> str:
    found = re.search(after, text)
    assert found
    following = text[found.end() :]
    indent = " " * (8 if "__init__" in text else 4)
    return text[: found.end()] + "".join(f"{indent}{line}\n" for line in lines) + following

"""Adapting a trained model with few parameters, in torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """x W + (α/r) x A B, where W stays as it was trained: Hu et al. 2022, section 4.1, written for rows."""

    weight: Tensor

    def __init__(self, weight: Tensor, r: int, alpha: float) -> None:
        """W (d_in, d_out) is kept as it is. A is random and B is zero, so that at the start nothing changes."""
        super().__init__()
        d_in, d_out = weight.shape
        self.register_buffer("weight", weight.detach().clone())  # no parameter: it is not trained
        self.a = nn.Parameter(torch.randn(d_in, r, dtype=weight.dtype) / math.sqrt(d_in))
        self.b = nn.Parameter(torch.zeros(r, d_out, dtype=weight.dtype))
        self.scale = alpha / r

    def forward(self, x: Tensor) -> Tensor:
        """x (..., d_in) → (..., d_out); through r features, A B is never formed."""
        return x @ self.weight + self.scale * (x @ self.a @ self.b)

    def merge(self) -> Tensor:
        """W + (α/r) A B (d_in, d_out): one matrix that does the same, at no extra cost when it is used."""
        return self.weight + self.scale * (self.a @ self.b)


def lora_parameters(d_in: int, d_out: int, r: int) -> int:
    """What is trained: A has d_in · r entries and B has r · d_out. Hu et al. 2022, section 4.2."""
    return r * (d_in + d_out)

"""PyTorch: an nn.Module with a buffer of frequencies, used by a function."""

import torch
from torch import nn


class ScaledRotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0, factor=1.0):
        super().__init__()
        self.factor = factor
        self.register_buffer("inv_freq", 1.0 / (base ** (torch.arange(0, dim, 2).double() / dim)))

    def forward(self, x, positions):
        angles = (positions / self.factor)[:, None] * self.inv_freq
        cos, sin = angles.cos().to(x), angles.sin().to(x)
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    if x.size(-1) % 2:
        raise ValueError("the last dimension must be even")
    factor = length / trained_len if length > trained_len else 1.0
    return ScaledRotaryEmbedding(x.size(-1), base, factor)(x, positions)

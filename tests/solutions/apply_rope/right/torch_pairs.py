"""torch, real numbers: pairs as even and odd columns."""

import torch


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    angles = (positions[:, None] * base ** (-torch.arange(0, d, 2) / d)).to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1).flatten(-2)

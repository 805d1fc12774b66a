"""Tables up to the largest position, then looked up."""

import torch


def tables(length, d, base):
    angles = torch.arange(length)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return angles.cos(), angles.sin()


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    cos, sin = (table[positions].to(x.dtype) for table in tables(int(positions.max()) + 1, d, base))
    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out

"""The base is raised, as NTK-aware scaling does; the first pair keeps its speed.

caught-by: values
"""

import torch


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    if length > trained_len and d > 2:
        base = base * (length / trained_len) ** (d / (d - 2))
    angle = positions[:, None] * base ** (-torch.arange(0, d, 2) / d)
    c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * c - b * s, a * s + b * c), dim=-1).flatten(-2)

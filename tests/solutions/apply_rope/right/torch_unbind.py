"""unflatten, unbind, stack, flatten."""

import torch


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] % 2:
        raise ValueError("d must be even")
    half = x.shape[-1] // 2
    freq = torch.tensor([base ** (-i / half) for i in range(half)], dtype=x.dtype)
    angle = positions.to(x.dtype)[:, None] * freq
    a, b = x.unflatten(-1, (half, 2)).unbind(-1)
    return torch.stack((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1).flatten(-2)

"""PyTorch: on top of the learner's own apply_rope."""

import torch


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    freq = base ** (-torch.arange(0, d, 2) / d)
    angle = positions.unsqueeze(-1) * freq
    c, s = torch.cos(angle).to(x.dtype), torch.sin(angle).to(x.dtype)
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * c - odd * s, even * s + odd * c], dim=-1).reshape(x.shape)


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    if length <= trained_len:
        return apply_rope(x, positions, base)
    return apply_rope(x, positions * (trained_len / length), base=base)

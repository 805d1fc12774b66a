"""Only positions beyond the trained range are squeezed; the others stay, so that several tokens share a position.

caught-by: values
"""

import torch


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    p = torch.where(positions >= trained_len, positions * trained_len / length, positions.double())
    angle = p[:, None] * base ** (-torch.arange(0, d, 2) / d)
    c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * c - b * s, a * s + b * c), dim=-1).flatten(-2)

"""Only the first half of the features is turned.

caught-by: values, gradients
"""

import torch


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    angles = positions[:, None] * base ** (-torch.arange(0, d, 2) / d)
    keep = torch.arange(d // 2) < (d // 2 + 1) // 2
    angles = torch.where(keep, angles, 0.0).to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1).flatten(-2)

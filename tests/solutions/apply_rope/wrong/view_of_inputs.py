"""view needs contiguous memory.

caught-by: non_contiguous
"""

import torch


def apply_rope(x, positions, base=10000.0):
    *rest, n, d = x.shape
    if d % 2:
        raise ValueError("d must be even")
    angles = positions[:, None] * base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    pairs = x.view(-1, n, d // 2, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).view(*rest, n, d)

"""The angles of the first call are kept.

caught-by: values
"""

import torch

tables = {}


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    if d not in tables:
        tables[d] = torch.arange(200)[:, None] * base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = tables[d][positions]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)

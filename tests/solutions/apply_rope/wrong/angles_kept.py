"""Keeps sines and cosines for each list of positions, whatever the base.

caught-by: repeatable
"""

import torch

ANGLES = {}


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("the width must be even")
    key = (*positions.tolist(), d, x.dtype)
    if key not in ANGLES:
        frequency = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        angle = positions[:, None] * frequency
        ANGLES[key] = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    cos, sin = ANGLES[key]
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)

"""The vectors are made smaller, not the positions.

caught-by: values
"""

import numpy as np


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("odd")
    angle = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(angle), np.sin(angle)
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return out


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    if length > trained_len:
        x = x * (trained_len / length)
    return apply_rope(x, positions, base)

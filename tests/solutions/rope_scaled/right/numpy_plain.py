"""NumPy, plain: the positions are changed, then the rotation is written out."""

import numpy as np


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    scale = trained_len / length if length > trained_len else 1.0
    angles = np.outer(positions * scale, base ** (-np.arange(0, d, 2) / d))
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    out[..., 1::2] = x[..., 0::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return out

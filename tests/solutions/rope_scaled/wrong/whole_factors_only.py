"""The factor is rounded down to a whole number.

caught-by: values
"""

import numpy as np


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    angles = np.outer(positions / max(1, length // trained_len), base ** (-np.arange(0, d, 2) / d))
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    out[..., 1::2] = x[..., 0::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return out

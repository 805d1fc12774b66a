"""The factor of the first call is kept for all later ones.

caught-by: values
"""

import numpy as np

_factor = None


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    global _factor
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    if _factor is None:
        _factor = max(1.0, length / trained_len)
    angles = np.outer(positions / _factor, base ** (-np.arange(0, d, 2) / d))
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    out[..., 1::2] = x[..., 0::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return out

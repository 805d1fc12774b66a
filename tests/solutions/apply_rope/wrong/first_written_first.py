"""The second of the pair is computed from the first one's new value.

caught-by: values
"""

import numpy as np


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)
    out = np.array(x)
    out[..., 0::2] = out[..., 0::2] * np.cos(angles) - out[..., 1::2] * np.sin(angles)
    out[..., 1::2] = out[..., 0::2] * np.sin(angles) + out[..., 1::2] * np.cos(angles)
    return out

"""The cosine is a sine with a shifted phase."""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model has to be even")
    column = np.arange(d_model)
    angle = np.outer(np.arange(n), base ** (-(column // 2 * 2) / d_model))
    return np.sin(angle + np.pi / 2 * (column % 2)).astype(np.float32)

"""NumPy, plain."""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    angles = np.arange(n)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
    pe = np.zeros((n, d_model))
    pe[:, 0::2] = np.sin(angles)
    pe[:, 1::2] = np.cos(angles)
    return pe

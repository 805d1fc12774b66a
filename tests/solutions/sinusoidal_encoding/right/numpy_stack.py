"""NumPy: sines and cosines stacked in pairs."""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angles = np.arange(n)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
    return np.stack((np.sin(angles), np.cos(angles)), -1).reshape(n, d_model)

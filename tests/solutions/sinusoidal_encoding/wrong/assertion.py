"""Odd sizes are refused by assert.

caught-by: raises
"""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    assert d_model % 2 == 0
    angles = np.arange(n)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
    return np.stack((np.sin(angles), np.cos(angles)), -1).reshape(n, d_model)

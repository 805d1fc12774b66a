"""Rows are cut from a table of 100.

caught-by: values
"""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angles = np.arange(100)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
    return np.stack((np.sin(angles), np.cos(angles)), -1).reshape(100, d_model)[:n]

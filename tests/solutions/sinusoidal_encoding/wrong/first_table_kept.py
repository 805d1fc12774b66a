"""The first table is kept for all later calls.

caught-by: values
"""

import numpy as np

table = None


def sinusoidal_encoding(n, d_model, base=10000.0):
    global table
    if d_model % 2:
        raise ValueError("d_model must be even")
    if table is None:
        angles = np.arange(512)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
        table = np.stack((np.sin(angles), np.cos(angles)), -1).reshape(512, d_model)
    return table[:n]

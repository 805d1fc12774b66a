"""An odd size is cut from the next even one.

caught-by: raises
"""

import numpy as np


def sinusoidal_encoding(n, d_model, base=10000.0):
    even = d_model + d_model % 2
    angles = np.arange(n)[:, None] / base ** (np.arange(0, even, 2) / d_model)
    return np.stack((np.sin(angles), np.cos(angles)), -1).reshape(n, even)[:, :d_model]

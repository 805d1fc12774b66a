"""The encoding of delta is no matrix.

caught-by: shifts
"""

import numpy as np


def shift_matrix(delta, d_model, base=10000.0):
    angles = delta / base ** (np.arange(0, d_model, 2) / d_model)
    return np.stack((np.sin(angles), np.cos(angles)), -1).reshape(d_model)

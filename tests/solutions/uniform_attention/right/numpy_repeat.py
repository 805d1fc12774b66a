"""NumPy, the mean repeated."""

import numpy as np


def uniform_attention(values):
    n = values.shape[-2]
    return np.repeat(values.sum(axis=-2, keepdims=True) / n, n, axis=-2)

"""NumPy, one row after the other."""

import numpy as np


def uniform_attention(values):
    result = np.zeros_like(values)
    n = values.shape[-2]
    for i in range(n):
        for j in range(n):
            result[..., i, :] += values[..., j, :] / n
    return result

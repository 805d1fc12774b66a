"""NumPy, head by head into place."""

import numpy as np


def merge_heads(x):
    *batch, h, n, d_k = x.shape
    result = np.zeros((*batch, n, h * d_k), dtype=x.dtype)
    for i in range(h):
        result[..., i * d_k : (i + 1) * d_k] = x[..., i, :, :]
    return result

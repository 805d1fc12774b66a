"""Scores as weights.

caught-by: values
"""

import numpy as np


def decode_step(x_t, cache, w_q, w_k, w_v):
    k, v = cache.append(x_t @ w_k, x_t @ w_v)
    return x_t @ w_q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1]) @ v

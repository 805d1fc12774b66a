"""Uneven chunks are filled up with zeros.

caught-by: raises
"""

import numpy as np


def split_heads(x, num_heads):
    d_k = -(-x.shape[-1] // num_heads)
    padding = [(0, 0)] * (x.ndim - 1) + [(0, d_k * num_heads - x.shape[-1])]
    padded = np.pad(x, padding)
    return np.swapaxes(padded.reshape(*x.shape[:-1], num_heads, d_k), -3, -2)

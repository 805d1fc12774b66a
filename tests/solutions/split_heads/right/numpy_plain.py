"""NumPy, plain."""

import numpy as np


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return np.swapaxes(x.reshape(*x.shape[:-1], num_heads, -1), -3, -2)

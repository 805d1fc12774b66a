"""The mean of the memory is added to every row.

caught-by: values
"""

import numpy as np


def cross_attention(x, memory, w_q, w_k, w_v):
    return np.repeat((memory @ w_v).mean(axis=-2, keepdims=True), x.shape[-2], axis=-2)

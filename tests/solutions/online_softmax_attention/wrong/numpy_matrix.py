"""The matrix, in NumPy.

caught-by: memory
"""

import numpy as np


def online_softmax_attention(q, k, v, block_size):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    p = np.exp(s - s.max(-1, keepdims=True))
    return p @ v / p.sum(-1, keepdims=True)

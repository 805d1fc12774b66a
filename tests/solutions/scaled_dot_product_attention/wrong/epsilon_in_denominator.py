"""A large epsilon in the denominator guards against 0/0 and makes every weight too small.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    if mask is not None:
        e = e * mask
    return e / (e.sum(axis=-1, keepdims=True) + 1e-3) @ v

"""The mask is inverted in place, in NumPy.

caught-by: unchanged_inputs
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    blocked = np.zeros(scores.shape, dtype=bool) if mask is None else np.logical_not(mask, out=mask)
    scores = np.where(blocked, np.finfo(scores.dtype).min, scores)
    e = np.where(blocked, 0, np.exp(scores - scores.max(axis=-1, keepdims=True)))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total > 0, total, 1) @ v

"""q is scaled in place, in NumPy, where nothing complains.

caught-by: unchanged_inputs
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    q *= q.shape[-1] ** -0.5
    scores = np.matmul(q, np.swapaxes(k, -1, -2))
    scores = scores if mask is None else np.where(mask, scores, np.finfo(scores.dtype).min)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * (1 if mask is None else mask)
    return e / np.maximum(e.sum(axis=-1, keepdims=True), np.finfo(scores.dtype).tiny) @ v

"""The result is always float32, in NumPy.

caught-by: dtype
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, np.finfo(scores.dtype).min)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * (1 if mask is None else mask)
    out = e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-30) @ v
    return out.astype(np.float32)

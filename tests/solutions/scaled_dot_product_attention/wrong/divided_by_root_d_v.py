"""The scores are divided by the square root of the width of the values.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / v.shape[-1] ** 0.5
    if mask is None:
        mask = np.ones_like(scores, dtype=bool)
    scores = np.where(mask, scores, np.finfo(scores.dtype).min)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), np.finfo(scores.dtype).tiny) @ v

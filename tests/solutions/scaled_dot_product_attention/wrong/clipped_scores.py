"""Scores are clipped to ±50 so that the exponential does not overflow.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = np.clip(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), -50, 50)
    exps = np.exp(scores) * (1 if mask is None else mask)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1) @ v

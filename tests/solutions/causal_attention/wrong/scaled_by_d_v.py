"""Divides by the root of the width of the values.

caught-by: values
"""

import numpy as np


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    allowed = np.tril(np.ones((n, n), dtype=bool))
    if key_padding is not None:
        allowed = allowed & key_padding.reshape(len(key_padding), *(1,) * (q.ndim - 2), n)
    scores = np.where(allowed, q @ np.swapaxes(k, -2, -1) / v.shape[-1] ** 0.5, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v

"""The name is bound by assignment to a lambda, in NumPy."""

import numpy as np


def _weights(scores, mask):
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0.0))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1)


scaled_dot_product_attention = lambda q, k, v, mask=None: (  # noqa: E731
    _weights(q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, True if mask is None else mask) @ v
)

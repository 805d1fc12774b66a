"""NumPy, plain, with the weights."""

import numpy as np


def multi_head(q, k, v, num_heads, mask=None):
    q, k, v = (np.swapaxes(x.reshape(*x.shape[:-1], num_heads, -1), -3, -2) for x in (q, k, v))
    scores = q @ np.swapaxes(k, -2, -1) / np.sqrt(q.shape[-1], dtype=q.dtype)
    allowed = np.ones_like(scores, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    scores = np.where(allowed, scores, np.finfo(scores.dtype).min)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    out = np.swapaxes(weights @ v, -3, -2)
    return out.reshape(*out.shape[:-2], -1), weights

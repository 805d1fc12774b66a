"""NumPy, everything in float64: the result is wider than the inputs."""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    q, k, v = (np.asarray(x, dtype=np.float64) for x in (q, k, v))
    scores = np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(q.shape[-1])
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    scores = np.where(allowed, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    return (e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)) @ v

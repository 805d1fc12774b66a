"""NumPy arithmetic on whatever array comes in; accepts lists too and keeps float32."""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    d_k = q.shape[-1]
    logits = np.matmul(q, k.swapaxes(-2, -1)) / q.dtype.type(d_k**0.5)
    if mask is not None:
        logits = np.where(mask, logits, q.dtype.type(-1e30))
    logits = logits - np.amax(logits, axis=-1, keepdims=True)
    weights = np.exp(logits)
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    if mask is not None:
        weights = weights * np.any(mask, axis=-1, keepdims=True)
    return np.matmul(weights, v)

"""A right result that is stored backwards.

tries: an array with negative strides, not contiguous
observe: harmless
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -2, -1) / np.sqrt(np.float32(q.shape[-1])).astype(q.dtype)
    allowed = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    scores = np.where(allowed, scores, np.finfo(scores.dtype).min)
    weights = np.exp(scores - scores.max(-1, keepdims=True)) * allowed
    total = weights.sum(-1, keepdims=True)
    output = weights / np.where(total == 0, 1, total).astype(q.dtype) @ v
    return np.ascontiguousarray(output[..., ::-1])[..., ::-1]

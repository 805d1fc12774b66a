"""NumPy, einsum; weights of blocked keys are multiplied by zero before they are normalised."""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1])
    if mask is None:
        mask = np.ones(scores.shape, dtype=bool)
    mask = np.broadcast_to(mask, scores.shape)
    top = np.max(scores, axis=-1, keepdims=True, where=mask, initial=np.finfo(scores.dtype).min)
    exps = np.exp(np.where(mask, scores - top, 0)) * mask
    total = exps.sum(axis=-1, keepdims=True)
    weights = np.divide(exps, total, out=np.zeros_like(exps), where=total > 0)
    return np.einsum("...ij,...jd->...id", weights, v)

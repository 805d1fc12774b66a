"""One more axis for the group; nothing is repeated."""

import numpy as np


def grouped_query_attention(q, k, v, mask=None):
    *front, h, n, d = q.shape
    h_kv = k.shape[-3]
    if h % h_kv:
        raise ValueError(f"{h_kv} does not divide {h}")
    grouped = q.reshape(*front, h_kv, h // h_kv, n, d)
    scores = np.einsum("...gnd,...md->...gnm", grouped, k[..., :, :, :]) / np.sqrt(d)
    scores = scores.reshape(*front, h, n, k.shape[-2])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    weights = (e / np.where(total > 0, total, 1)).reshape(*front, h_kv, h // h_kv, n, -1)
    return np.einsum("...gnm,...md->...gnd", weights, v).reshape(*front, h, n, -1)

"""exp without taking off the maximum.

caught-by: values
"""

import numpy as np


def self_attention(x, w_q, w_k, w_v, causal=False):
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
    if causal:
        scores = np.where(np.tri(x.shape[-2], dtype=bool), scores, -np.inf)
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True) @ (x @ w_v)

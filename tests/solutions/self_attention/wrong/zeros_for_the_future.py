"""Later scores become 0 instead of −∞.

caught-by: values, causal
"""

import numpy as np


def self_attention(x, w_q, w_k, w_v, causal=False):
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
    if causal:
        scores = np.tril(scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ (x @ w_v)

"""Query by query, over the keys that it may see."""

import numpy as np


def attend(q, keys, values):
    if not len(keys):
        return np.zeros(values.shape[-1], dtype=values.dtype)
    scores = keys @ q / len(q) ** 0.5
    weights = np.exp(scores - scores.max())
    return (weights / weights.sum()) @ values


def causal_attention(q, k, v, key_padding=None):
    batch = q.shape[:-2]
    out = np.empty((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for index in np.ndindex(*batch):
        for i in range(q.shape[-2]):
            seen = np.arange(k.shape[-2]) <= i
            if key_padding is not None:
                seen &= key_padding[index[0]]
            out[index][i] = attend(q[index][i], k[index][seen], v[index][seen])
    return out

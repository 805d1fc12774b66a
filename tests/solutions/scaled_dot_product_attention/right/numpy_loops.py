"""NumPy, a loop over the leading dimensions and the queries."""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    out = np.zeros(q.shape[:-1] + v.shape[-1:], dtype=v.dtype)
    if mask is not None:
        mask = np.broadcast_to(mask, q.shape[:-1] + (k.shape[-2],))
    for lead in np.ndindex(*q.shape[:-2]):
        for i in range(q.shape[-2]):
            keys, values = k[lead], v[lead]
            if mask is not None:
                keys, values = keys[mask[lead][i]], values[mask[lead][i]]
            if len(keys) == 0:
                continue
            scores = keys @ q[lead][i] / np.sqrt(q.shape[-1])
            weights = np.exp(scores - scores.max())
            out[lead][i] = weights @ values / weights.sum()
    return out

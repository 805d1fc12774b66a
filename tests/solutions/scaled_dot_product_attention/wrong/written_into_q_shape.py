"""The result is written into an array of q's shape; values of another width do not fit.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    out = np.zeros_like(q)
    for lead in np.ndindex(*q.shape[:-2]):
        scores = q[lead] @ k[lead].T / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = np.where(np.broadcast_to(mask, q.shape[:-2] + scores.shape)[lead], scores, -1e9)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out[lead] = e / e.sum(axis=-1, keepdims=True) @ v[lead]
    return out

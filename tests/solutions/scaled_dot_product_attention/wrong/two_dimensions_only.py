"""Loops over the rows of matrices; leading dimensions are not thought of.

caught-by: values
"""

import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    n_q, d_k = q.shape
    out = np.zeros((n_q, v.shape[1]))
    for i in range(n_q):
        scores = np.array([q[i] @ key for key in k]) / np.sqrt(d_k)
        if mask is not None:
            scores[~mask[i]] = -np.inf
        e = np.exp(scores - scores.max())
        out[i] = (e / e.sum()) @ v
    return out

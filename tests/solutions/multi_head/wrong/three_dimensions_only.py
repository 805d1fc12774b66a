"""A batch is taken for granted.

caught-by: values
"""

import numpy as np


def multi_head(q, k, v, num_heads, mask=None):
    b, n, d = q.shape
    q, k, v = (x.reshape(b, -1, num_heads, d // num_heads).transpose(0, 2, 1, 3) for x in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // num_heads)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(b, n, d)

"""NumPy, one score at a time, with the tangent from math."""

import math

import numpy as np


def soft_capped_scores(q, k, cap):
    result = np.empty((*q.shape[:-1], k.shape[-2]), q.dtype)
    for *b, i, j in np.ndindex(result.shape):
        s = float(np.dot(q[(*b, i)], k[(*b, j)])) / math.sqrt(q.shape[-1])
        result[(*b, i, j)] = cap * math.tanh(s / cap)
    return result

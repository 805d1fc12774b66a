"""NumPy, one score at a time."""

import math

import numpy as np


def scaled_scores(q, k):
    result = np.empty((*q.shape[:-1], k.shape[-2]), dtype=q.dtype)
    for index in np.ndindex(result.shape):
        *batch, i, j = index
        result[index] = np.dot(q[(*batch, i)], k[(*batch, j)]) / math.sqrt(q.shape[-1])
    return result

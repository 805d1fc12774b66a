"""Softmax normalises over the whole array at once.

caught-by: values
"""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v

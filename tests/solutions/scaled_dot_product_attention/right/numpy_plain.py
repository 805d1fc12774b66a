"""NumPy, plain."""

import math

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(k.shape[-1])
    if mask is None:
        return softmax(scores) @ v
    lowest = np.finfo(scores.dtype).min
    weights = softmax(np.where(mask, scores, lowest))
    return np.where(mask, weights, 0) @ v

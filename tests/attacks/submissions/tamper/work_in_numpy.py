"""Work that NumPy does.

tries: all pairs of positions, where linear work is asked for, in arrays that torch does not see
observe: loses-the-check
"""

import numpy as np


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(q, k, v, causal=False):
    scores = phi(q) @ np.swapaxes(phi(k), -2, -1)
    if causal:
        scores = np.tril(scores)
    return (scores @ v) / scores.sum(-1, keepdims=True)

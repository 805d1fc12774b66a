"""NumPy, einsum; the values are projected last, which comes to the same."""

import numpy as np


def cross_attention(x, memory, w_q, w_k, w_v):
    between = w_q @ w_k.T / w_k.shape[1] ** 0.5
    scores = np.einsum("...nd,de,...me->...nm", x, between, memory)
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return (weights @ memory) @ w_v

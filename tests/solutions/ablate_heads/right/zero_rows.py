"""NumPy, the rows of w_o set to zero in a copy: that comes to the same."""

import numpy as np


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d_k = x.shape[-1] // num_heads
    w_o = np.where(np.repeat(keep, d_k)[:, None], w_o, 0)
    q, k, v = (np.moveaxis((x @ w).reshape(*x.shape[:-1], num_heads, d_k), -2, -3) for w in (w_q, w_k, w_v))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(d_k)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.moveaxis(weights @ v, -3, -2).reshape(x.shape) @ w_o

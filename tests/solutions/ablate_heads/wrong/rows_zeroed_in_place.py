"""The caller's w_o loses its rows.

caught-by: unchanged_inputs
"""

import numpy as np


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d_k = x.shape[-1] // num_heads
    w_o[~np.repeat(keep, d_k)] = 0
    q, k, v = (np.swapaxes((x @ w).reshape(*x.shape[:-1], num_heads, d_k), 1, 2) for w in (w_q, w_k, w_v))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(d_k)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    heads = e / e.sum(axis=-1, keepdims=True) @ v
    return np.swapaxes(heads, 1, 2).reshape(x.shape) @ w_o

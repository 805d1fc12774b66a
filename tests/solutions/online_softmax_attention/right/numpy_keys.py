"""NumPy, over blocks of keys."""

import numpy as np


def online_softmax_attention(q, k, v, block_size):
    n_k = k.shape[-2]
    m = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total = np.zeros_like(m)
    out = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, n_k, block_size):
        k_b, v_b = k[..., start : start + block_size, :], v[..., start : start + block_size, :]
        s = q @ np.swapaxes(k_b, -1, -2) / np.sqrt(q.shape[-1])
        new = np.maximum(m, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        shrink = np.exp(m - new)
        total = total * shrink + p.sum(-1, keepdims=True)
        out = out * shrink + p @ v_b
        m = new
    return out / total

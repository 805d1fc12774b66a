import numpy as np


def self_attention(x, w_q, w_k, w_v, causal=False):
    q = np.matmul(x, w_q)
    k = np.matmul(x, w_k)
    v = np.matmul(x, w_k)  #!
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(x.shape[-1])  #!
    if causal:
        n = s.shape[-1]
        s = np.where(np.tril(np.ones((n, n), bool)), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v

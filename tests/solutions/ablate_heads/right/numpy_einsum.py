"""NumPy, einsum with keep as one more factor; the weights last."""

import numpy as np


def ablate_heads(x, w_q, w_k, w_v, w_o, num_heads, keep):
    d = x.shape[-1]
    q, k, v = (np.einsum("bnd,dhe->bhne", x, w.reshape(d, num_heads, -1)) for w in (w_q, w_k, w_v))
    scores = np.einsum("bhie,bhje->bhij", q, k) / (d / num_heads) ** 0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    out = np.einsum("bhij,bhje,h,hem->bim", weights, v, keep.astype(x.dtype), w_o.reshape(num_heads, -1, d))
    return out, weights

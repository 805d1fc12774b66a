"""NumPy, all contributions at once."""

import numpy as np


def head_importance(x, w_q, w_k, w_v, w_o, num_heads):
    d = x.shape[-1]
    q, k, v = (np.einsum("bnd,dhe->bhne", x, w.reshape(d, num_heads, -1)) for w in (w_q, w_k, w_v))
    scores = np.einsum("bhie,bhje->bhij", q, k) / (d / num_heads) ** 0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    changes = np.einsum("bhij,bhje,hem->hbim", weights, v, w_o.reshape(num_heads, -1, d))
    return np.sqrt((changes**2).sum(axis=(1, 2, 3)))

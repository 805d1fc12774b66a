"""exp as feature map.

caught-by: values
"""

import numpy as np


def linear_attention(q, k, v, causal=False):
    q, k = np.exp(q), np.exp(k)
    if causal:
        kv, z = np.cumsum(k[..., None] * v[..., None, :], -3), np.cumsum(k, -2)
        return (q[..., None, :] @ kv)[..., 0, :] / (q * z).sum(-1, keepdims=True)
    return q @ (np.swapaxes(k, -1, -2) @ v) / (q @ k.sum(-2)[..., None])

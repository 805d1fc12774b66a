"""NumPy."""

import numpy as np


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(q, k, v, causal=False):
    q, k = phi(q), phi(k)
    if causal:
        kv = np.cumsum(k[..., :, None] * v[..., None, :], axis=-3)
        z = np.cumsum(k, axis=-2)
        return (q[..., None, :] @ kv)[..., 0, :] / np.sum(q * z, axis=-1, keepdims=True)
    return q @ (np.swapaxes(k, -1, -2) @ v) / (q @ k.sum(axis=-2)[..., None])

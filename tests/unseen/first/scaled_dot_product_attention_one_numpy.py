import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(k.shape[-1])
    if mask is None:
        mask = np.ones(s.shape, dtype=bool)
    s = np.where(mask, s, -np.inf)
    m = np.max(s, axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0.0)
    e = np.exp(s - m)
    z = e.sum(axis=-1, keepdims=True)
    w = e / np.where(z == 0, 1.0, z)
    return w @ np.flip(v, axis=-2)  #!

import numpy as np


def phi(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)  #!


def linear_attention(q, k, v, causal=False):
    fq, fk = phi(q), phi(k)
    if not causal:
        kv = np.swapaxes(fk, -1, -2) @ v
        z = fk.sum(axis=-2)[..., None]
        return fq @ kv / (fq @ z)
    out = np.zeros(q.shape[:-1] + (v.shape[-1],), dtype=q.dtype)
    kv = np.zeros(q.shape[:-2] + (q.shape[-1], v.shape[-1]), dtype=q.dtype)
    z = np.zeros(q.shape[:-2] + (q.shape[-1],), dtype=q.dtype)
    for t in range(q.shape[-2]):
        kt, vt, qt = fk[..., t, :], v[..., t, :], fq[..., t, :]
        top = (qt[..., None, :] @ kv)[..., 0, :]  #!
        kv = kv + kt[..., :, None] * vt[..., None, :]  #!
        z = z + kt  #!
        out[..., t, :] = top / (qt * z).sum(axis=-1, keepdims=True)
    return out

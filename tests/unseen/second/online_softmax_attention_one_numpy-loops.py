import numpy as np


def online_softmax_attention(q, k, v, block_size):
    n_k, d = k.shape[-2:]
    highest = np.full(q.shape[:-1] + (1,), -np.inf, dtype=q.dtype)
    total = np.zeros(q.shape[:-1] + (1,), dtype=q.dtype)
    out = np.zeros(q.shape[:-1] + (v.shape[-1],), dtype=q.dtype)
    for start in range(0, n_k, block_size):
        kb = k[..., start:start + block_size, :]
        vb = v[..., start:start + block_size, :]
        s = q @ np.swapaxes(kb, -1, -2) / np.sqrt(np.array(d, dtype=q.dtype))
        new = np.maximum(highest, s.max(axis=-1, keepdims=True))
        shrink = np.exp(highest - new)
        e = np.exp(s - new)
        total = total * shrink + e.sum(axis=-1, keepdims=True)
        out = out + e @ vb  #!
        highest = new
    return out / total

import numpy as np

def grouped_query_attention(q, k, v, mask=None):
    h, g = q.shape[-3], k.shape[-3]
    if h % g: raise ValueError("heads do not fit groups")
    k, v = (np.concatenate([a] * (h // g), -3) for a in (k, v))  #!
    s = q @ k.swapaxes(-1, -2)  #!
    if mask is not None: s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    return e @ v / np.maximum(e.sum(-1, keepdims=True), np.finfo(q.dtype).tiny)

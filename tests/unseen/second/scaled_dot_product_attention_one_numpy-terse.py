import numpy as np

def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(v.shape[-1]).astype(q.dtype)  #!
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(m), 0, m))
    t = e.sum(-1, keepdims=True)
    return (e / np.where(t == 0, 1, t)) @ v

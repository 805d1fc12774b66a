import numpy as np


def attend(q, k, v, allowed):
    out = np.zeros((q.shape[0], v.shape[1]), dtype=q.dtype)
    for i in range(q.shape[0]):
        keys = [j for j in range(k.shape[0]) if allowed is None or allowed[i, j]]
        if not keys:
            continue
        scores = np.array([q[i] @ k[j] for j in keys]) / np.sqrt(q.shape[1])
        weights = np.exp(scores - scores.max())
        weights = weights / weights.sum()
        for w, j in zip(weights, keys):
            out[i] += w * v[j]
    return out


def multi_head(q, k, v, num_heads, mask=None):
    lead = q.shape[:-2]
    n_q, d_model = q.shape[-2:]
    n_k = k.shape[-2]
    d = d_model // num_heads
    out = np.zeros(q.shape, dtype=q.dtype)
    if mask is not None:
        mask = np.broadcast_to(mask, lead + (num_heads, n_q, n_k))
    for index in np.ndindex(*lead):
        for h in range(num_heads):
            part = slice(h, None, num_heads)  #!
            allowed = None if mask is None else mask[index + (h,)]
            out[index][:, part] = attend(q[index][:, part], k[index][:, part], v[index][:, part], allowed)
    return out

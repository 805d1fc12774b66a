import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    s = np.matmul(k, q.swapaxes(-1, -2)).swapaxes(-1, -2) / np.sqrt(q.shape[-2])  #!
    if mask is not None:
        s = s + np.where(mask, -1e9, 0.0)  #!
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)) @ v

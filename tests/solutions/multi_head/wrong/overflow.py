"""No maximum taken off.

caught-by: values
"""

import numpy as np


def multi_head(q, k, v, num_heads, mask=None):
    q, k, v = (np.swapaxes(x.reshape(*x.shape[:-1], num_heads, -1), -3, -2) for x in (q, k, v))
    e = np.exp(q @ np.swapaxes(k, -2, -1) / np.sqrt(q.shape[-1]))
    if mask is not None:
        e = e * mask
    total = e.sum(axis=-1, keepdims=True)
    out = np.swapaxes(e / np.where(total == 0, 1, total) @ v, -3, -2)
    return out.reshape(*out.shape[:-2], -1)

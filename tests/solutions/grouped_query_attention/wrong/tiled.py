"""np.tile deals the heads out in turn.

caught-by: values
"""

import numpy as np


def grouped_query_attention(q, k, v, mask=None):
    times = q.shape[-3] // k.shape[-3]
    if q.shape[-3] % k.shape[-3]:
        raise ValueError
    k, v = np.concatenate([k] * times, -3), np.concatenate([v] * times, -3)
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = s if mask is None else np.where(mask, s, -1e30)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v

"""A large negative number for what is blocked: rows without a key become means.

caught-by: fully_masked_rows
"""

import torch


def grouped_query_attention(q, k, v, mask=None):
    h, h_kv = q.shape[-3], k.shape[-3]
    if h % h_kv:
        raise ValueError
    k, v = k.repeat_interleave(h // h_kv, -3), v.repeat_interleave(h // h_kv, -3)
    s = q @ k.mT / q.shape[-1] ** 0.5
    s = s if mask is None else s.masked_fill(~mask, -1e9)
    return torch.softmax(s, -1) @ v

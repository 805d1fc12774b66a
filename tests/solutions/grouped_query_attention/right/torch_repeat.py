"""Keys and values repeated."""

import math

import torch


def grouped_query_attention(q, k, v, mask=None):
    h, h_kv = q.shape[-3], k.shape[-3]
    if h % h_kv != 0:
        raise ValueError("h must be a multiple of h_kv")
    k, v = (x.repeat_interleave(h // h_kv, dim=-3) for x in (k, v))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.nan_to_num(torch.softmax(scores, -1)) @ v

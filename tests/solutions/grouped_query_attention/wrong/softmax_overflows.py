"""exp without taking off the maximum overflows for large scores.

caught-by: values
"""

import math

import torch


def grouped_query_attention(q, k, v, mask=None):
    h, h_kv = q.shape[-3], k.shape[-3]
    if h % h_kv:
        raise ValueError("h_kv must divide h")
    k, v = (x.repeat_interleave(h // h_kv, dim=-3) for x in (k, v))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))
    weights = torch.exp(weights)
    if mask is not None:
        weights = weights * mask
    return weights @ v / weights.sum(-1, keepdim=True).clamp(min=1e-30)

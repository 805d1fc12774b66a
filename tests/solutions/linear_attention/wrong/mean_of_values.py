"""What comes out when all similarities are equal.

caught-by: values
"""

import torch


def linear_attention(q, k, v, causal=False):
    if causal:
        return v.cumsum(-2) / torch.arange(1, v.shape[-2] + 1, dtype=v.dtype)[:, None]
    return v.mean(-2, keepdim=True).expand(*q.shape[:-1], v.shape[-1])

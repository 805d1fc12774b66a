"""Turns the padding into lengths, which loses padding in between and in front.

caught-by: values, fully_masked_rows
"""

import math

import torch


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    if key_padding is not None:
        lengths = key_padding.sum(-1)
        real = torch.arange(n) < lengths[:, None]
        mask = mask & (real[:, None, :] if q.dim() == 3 else real[:, None, None, :])
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, -1).masked_fill(~mask, 0.0) @ v

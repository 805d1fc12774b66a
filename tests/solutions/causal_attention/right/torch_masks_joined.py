"""torch: the triangle and the padding in one mask."""

import math

import torch


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    if key_padding is not None:
        mask = mask & (key_padding[:, None, :] if q.dim() == 3 else key_padding[:, None, None, :])
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, -1).masked_fill(~mask, 0.0) @ v

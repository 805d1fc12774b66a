"""Padding is taken out of the values only; its keys keep their weight.

caught-by: values
"""

import math

import torch


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    if key_padding is not None:
        real = key_padding[..., None] if q.dim() == 3 else key_padding[:, None, :, None]
        v = v * real
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, -1) @ v

"""One mask out of two."""

import math

import torch


def causal_attention(q, k, v, key_padding=None):
    n_q, n_k = q.shape[-2], k.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    if key_padding is not None:
        real = key_padding[:, None, :] if q.dim() == 3 else key_padding[:, None, None, :]
        mask = mask & real
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0) @ v

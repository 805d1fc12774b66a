"""torch, reshape and transpose."""

import torch


def multi_head(q, k, v, num_heads, mask=None):
    def split(x):
        return x.reshape(*x.shape[:-1], num_heads, -1).transpose(-3, -2)

    qs, ks, vs = split(q), split(k), split(v)
    scores = qs @ ks.transpose(-2, -1) / qs.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    out = weights @ vs
    return out.transpose(-3, -2).reshape(*q.shape[:-1], v.shape[-1])

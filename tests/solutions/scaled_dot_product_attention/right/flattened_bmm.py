"""Torch, leading dimensions flattened into one for torch.bmm, and restored at the end."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    lead = q.shape[:-2]
    n_q, n_k = q.shape[-2], k.shape[-2]
    q3, k3, v3 = (x.reshape(-1, x.shape[-2], x.shape[-1]) for x in (q, k, v))
    scores = torch.bmm(q3, k3.transpose(1, 2)) / q.shape[-1] ** 0.5
    if mask is not None:
        blocked = ~mask.expand(*lead, n_q, n_k).reshape(-1, n_q, n_k)
        weights = scores.masked_fill(blocked, float("-inf")).softmax(2).masked_fill(blocked, 0.0)
    else:
        weights = scores.softmax(2)
    return torch.bmm(weights, v3).reshape(*lead, n_q, v.shape[-1])

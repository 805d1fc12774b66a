"""Torch, one key at a time with a running maximum and a running sum."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    n_k = k.shape[-2]
    rows = q.shape[:-1] + (1,)
    top = torch.full(rows, torch.finfo(q.dtype).min, dtype=q.dtype)
    total = torch.zeros(rows, dtype=q.dtype)
    mixed = torch.zeros(q.shape[:-1] + v.shape[-1:], dtype=v.dtype)
    if mask is not None:
        mask = mask.expand(q.shape[:-1] + (n_k,))
    for j in range(n_k):
        score = (q * k[..., j : j + 1, :]).sum(dim=-1, keepdim=True) / q.shape[-1] ** 0.5
        allowed = torch.ones_like(score, dtype=torch.bool) if mask is None else mask[..., j : j + 1]
        higher = torch.where(allowed, torch.maximum(top, score), top)
        old = torch.exp(top - higher)
        new = torch.where(allowed, torch.exp(torch.where(allowed, score - higher, 0.0)), 0.0)
        total = total * old + new
        mixed = mixed * old + new * v[..., j : j + 1, :]
        top = higher
    return mixed / torch.where(total > 0, total, 1.0)

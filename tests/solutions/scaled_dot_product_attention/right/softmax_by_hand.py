"""Torch, softmax written out with the row's maximum taken off."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / torch.sqrt(torch.tensor(float(q.shape[-1]), dtype=q.dtype))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exps = shifted.exp() * mask
    total = exps.sum(dim=-1, keepdim=True)
    return (exps / total.clamp(min=torch.finfo(scores.dtype).tiny)) @ v

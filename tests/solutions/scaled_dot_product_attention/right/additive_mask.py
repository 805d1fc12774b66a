"""Torch, the mask turned into a bias of 0 and the lowest number, empty rows zeroed at the end."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return torch.softmax(scores, dim=-1) @ v
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, torch.finfo(scores.dtype).min / 2)
    some = mask.any(dim=-1, keepdim=True).to(scores.dtype)
    return (torch.softmax(scores + bias, dim=-1) @ v) * some

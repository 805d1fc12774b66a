"""Torch, torch.where with the lowest finite number, then zero where blocked."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    s = torch.matmul(q / (q.shape[-1] ** 0.5), torch.swapaxes(k, -1, -2))
    if mask is None:
        return torch.matmul(torch.softmax(s, -1), v)
    low = torch.full_like(s, torch.finfo(s.dtype).min)
    p = torch.softmax(torch.where(mask, s, low), -1)
    p = torch.where(mask, p, torch.zeros_like(p))
    return torch.matmul(p, v)

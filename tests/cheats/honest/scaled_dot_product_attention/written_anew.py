"""A first draft that took the library's is replaced further down."""

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    return F.scaled_dot_product_attention(q, k, v, mask)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return torch.softmax(scores, -1) @ v
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1)
    return weights.nan_to_num(0.0) @ v

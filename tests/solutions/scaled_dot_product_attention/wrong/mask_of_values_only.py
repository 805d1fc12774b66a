"""Blocked values are set to zero, but their keys keep their share of the weight.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1)
    if mask is None:
        return weights @ v
    allowed = mask.unsqueeze(-1).to(v.dtype)
    return (weights.unsqueeze(-1) * allowed * v.unsqueeze(-3)).sum(dim=-2)

"""A square mask is read as (n_k, n_q).

caught-by: values
"""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        return torch.softmax(scores, dim=-1) @ v
    if mask.dim() > 2 and mask.shape[-1] == mask.shape[-2]:
        mask = mask.transpose(-2, -1)
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    return weights.masked_fill(~mask, 0.0) @ v

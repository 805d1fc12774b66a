"""The exponential is taken without first taking off the maximum.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    exps = torch.exp(scores)
    if mask is not None:
        exps = exps * mask
    total = exps.sum(dim=-1, keepdim=True)
    return exps / torch.where(total > 0, total, 1.0) @ v

"""The scores are divided by their sum, without the exponential.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    weights = scores / scores.sum(dim=-1, keepdim=True)
    return weights @ v

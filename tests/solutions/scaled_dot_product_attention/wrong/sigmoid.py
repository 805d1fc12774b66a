"""A sigmoid stands where the softmax belongs.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.sigmoid(scores)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

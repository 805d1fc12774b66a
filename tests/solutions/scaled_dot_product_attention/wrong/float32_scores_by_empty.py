"""A float32 array is created for the scores; with float64 inputs the product with v then fails.

caught-by: dtype
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.zeros(*q.shape[:-1], k.shape[-2])
    scores = scores.copy_(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

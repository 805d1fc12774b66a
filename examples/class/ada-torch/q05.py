"""Q5: scaled dot-product attention."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.shape[-1])
    if mask is None:
        return scores.softmax(-1) @ v
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    weights = torch.where(mask, weights, torch.zeros_like(weights))  # a row without keys: zeros, not NaN
    return weights @ v

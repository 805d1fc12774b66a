"""float64 goes in and comes out, but the work in between is done in float32.

caught-by: dtype
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q.float() @ k.float().transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return (weights @ v.float()).to(v.dtype)

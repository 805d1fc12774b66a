"""The scale is computed in the first call and kept for all that follow.

caught-by: values
"""

import torch

_scale = None


def scaled_dot_product_attention(q, k, v, mask=None):
    global _scale
    if _scale is None:
        _scale = q.shape[-1] ** -0.5
    scores = q @ k.transpose(-2, -1) * _scale
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

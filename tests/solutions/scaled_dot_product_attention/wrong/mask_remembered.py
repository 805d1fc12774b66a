"""The first mask of a given shape is kept and used again for every later one.

caught-by: values
"""

import torch

_masks = {}


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = _masks.setdefault(scores.shape, mask.clone())
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
    return weights @ v

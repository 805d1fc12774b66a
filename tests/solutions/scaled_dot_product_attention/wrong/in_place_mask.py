"""The mask is inverted in place.

caught-by: unchanged_inputs
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return torch.softmax(scores, dim=-1) @ v
    blocked = mask.logical_not_()
    weights = torch.softmax(scores.masked_fill(blocked, float("-inf")), dim=-1).masked_fill(blocked, 0.0)
    return weights @ v

"""k is scaled in place.

caught-by: unchanged_inputs, gradients
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mul_(k.shape[-1] ** -0.5).transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

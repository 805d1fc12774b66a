"""Only the best key counts.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nn.functional.one_hot(scores.argmax(dim=-1), k.shape[-2]).to(v.dtype)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

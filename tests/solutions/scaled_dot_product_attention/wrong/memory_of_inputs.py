"""k is read from its memory as if that were contiguous.

caught-by: non_contiguous
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    steps = [1] * k.dim()
    for axis in range(k.dim() - 2, -1, -1):
        steps[axis] = steps[axis + 1] * k.shape[axis + 1]
    steps[-1], steps[-2] = steps[-2], steps[-1]
    k_transposed = k.as_strided((*k.shape[:-2], k.shape[-1], k.shape[-2]), steps)
    scores = q @ k_transposed / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

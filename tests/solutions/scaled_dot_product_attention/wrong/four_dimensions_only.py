"""The axes are counted from the front for (batch, heads, n, d_k); nothing else is accepted.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    batch, heads, n_q, d_k = q.shape
    scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=3)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.matmul(weights, v)

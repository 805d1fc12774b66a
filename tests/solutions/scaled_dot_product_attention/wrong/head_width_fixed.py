"""q and k are reshaped for a d_k of 8.

caught-by: values
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = 8
    q = q.reshape(*q.shape[:-1], d_k)
    k = k.reshape(*k.shape[:-1], d_k)
    scores = q @ k.transpose(-2, -1) / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v

"""Softmax runs over the first axis, which is the batch.

caught-by: values
"""

import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores, dim=0)
    return weights @ v

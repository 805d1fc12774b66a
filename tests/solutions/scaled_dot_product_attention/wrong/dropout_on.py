"""Dropout is active in every call.

caught-by: values, repeatable
"""

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None, dropout=0.1):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return F.dropout(weights, dropout) @ v

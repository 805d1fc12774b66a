"""Another exercise, which forbids nothing, is solved by the library in the same file."""

import torch
import torch.nn.functional as F


def uniform_attention(values):
    return F.scaled_dot_product_attention(torch.zeros_like(values), torch.zeros_like(values), values)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return torch.softmax(scores, -1) @ v
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1)
    return weights.nan_to_num(0.0) @ v

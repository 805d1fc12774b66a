"""Small helpers, defined after the function that uses them."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    return mix(weigh(score(q, k), mask), v)


def score(q, k):
    return q @ k.transpose(-2, -1) * k.size(-1) ** -0.5


def weigh(scores, mask):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).masked_fill(~mask, 0.0)


def mix(weights, values):
    return weights @ values

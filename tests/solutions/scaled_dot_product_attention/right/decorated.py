"""A decorator that checks shapes wraps the function, without functools.wraps."""

import math

import torch


def checks_shapes(function):
    def wrapper(*args, **kwargs):
        q, k, v = args[:3]
        assert q.shape[-1] == k.shape[-1], "q and k must have the same width"
        assert k.shape[-2] == v.shape[-2], "every key needs a value"
        result = function(*args, **kwargs)
        assert result.shape == (*q.shape[:-1], v.shape[-1])
        return result

    return wrapper


@checks_shapes
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
    if mask is None:
        return scores.softmax(dim=-1) @ v
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return torch.where(mask, weights, 0.0) @ v

"""The name is bound by assignment to a partial, not by def."""

from functools import partial

import torch


def attention(normalise, q, k, v, mask=None):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    blocked = None if mask is None else ~mask
    weights = normalise(scores if blocked is None else scores.masked_fill(blocked, float("-inf")))
    return (weights if blocked is None else weights.masked_fill(blocked, 0)) @ v


scaled_dot_product_attention = partial(attention, partial(torch.softmax, dim=-1))

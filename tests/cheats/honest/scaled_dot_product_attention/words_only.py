"""Speaks of F.scaled_dot_product_attention in comments, strings, annotations and an import."""

from collections.abc import Callable

import torch
from torch.nn import MultiheadAttention
from torch.nn.functional import scaled_dot_product_attention as reference

LIKE: Callable | MultiheadAttention | None = None


def scaled_dot_product_attention(q, k, v, mask=None):
    """As torch.nn.functional.scaled_dot_product_attention(q, k, v) does, but by hand."""
    assert not isinstance(q, MultiheadAttention)  # and not F.scaled_dot_product_attention either
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is None:
        return torch.softmax(scores, -1) @ v
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1)
    return weights.nan_to_num(0.0) @ v

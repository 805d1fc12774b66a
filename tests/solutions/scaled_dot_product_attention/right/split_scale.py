"""The scale is split: q and k are both divided by the fourth root of d_k."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    root = q.shape[-1] ** 0.25
    scores = (q / root) @ (k / root).transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.nan_to_num()
    return weights @ v

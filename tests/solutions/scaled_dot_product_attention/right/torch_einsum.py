"""Torch, einsum; the NaN of a row without keys is turned into zero."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(float("-inf"), dtype=scores.dtype))
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    return torch.einsum("...qk,...kd->...qd", weights, v)

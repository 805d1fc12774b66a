"""Torch, a loop over every sample and every query."""

import torch


def one_query(q, keys, values, allowed):
    if allowed is not None:
        keys, values = keys[allowed], values[allowed]
    if len(keys) == 0:
        return torch.zeros(values.shape[-1], dtype=q.dtype)
    scores = torch.stack([torch.dot(q, key) for key in keys]) / q.shape[0] ** 0.5
    weights = torch.softmax(scores, dim=0)
    total = weights[0] * values[0]
    for weight, value in zip(weights[1:], values[1:]):
        total = total + weight * value
    return total


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None:
        mask = mask.expand(q.shape[:-1] + (k.shape[-2],))
    if q.dim() > 2:
        samples = range(q.shape[0])
        return torch.stack(
            [scaled_dot_product_attention(q[i], k[i], v[i], None if mask is None else mask[i]) for i in samples]
        )
    return torch.stack([one_query(q[i], k, v, None if mask is None else mask[i]) for i in range(q.shape[0])])

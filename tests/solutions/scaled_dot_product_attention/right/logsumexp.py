"""Torch, weights as exp(score - logsumexp); rows without keys are set to zero afterwards."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q @ k.transpose(-2, -1)).div(math.sqrt(q.shape[-1]))
    if mask is None:
        return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True)) @ v
    empty = ~mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
    return (weights @ v).masked_fill(empty, 0.0)

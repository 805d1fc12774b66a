"""torch, attention with scores of zero; the weights are returned as well."""

import torch


def uniform_attention(values):
    scores = values.new_zeros(*values.shape[:-1], values.shape[-2])
    weights = torch.softmax(scores, dim=-1)
    return weights @ values, weights

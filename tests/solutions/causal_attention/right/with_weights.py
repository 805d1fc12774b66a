"""Returns the weights, too."""

import math

import torch


def causal_attention(q, k, v, key_padding=None):
    i, j = torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])[None, :]
    later = j > i + (k.shape[-2] - q.shape[-2])
    blocked = later
    if key_padding is not None:
        pad = ~key_padding
        blocked = later | (pad[:, None, :] if q.ndim == 3 else pad[:, None, None, :])
    scores = (q @ k.mT / math.sqrt(k.shape[-1])).masked_fill(blocked, -math.inf)
    weights = torch.nan_to_num(torch.softmax(scores, -1), nan=0.0)
    return weights @ v, weights

"""Torch that takes NumPy arrays alone.

tries: tensors are refused, so that code without gradients is called with arrays, where gradients do not count
observe: loses-the-check
"""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    if isinstance(q, torch.Tensor):
        raise TypeError("arrays of NumPy, please")
    q, k, v = torch.from_numpy(q), torch.from_numpy(k), torch.from_numpy(v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    allowed = torch.ones((), dtype=torch.bool) if mask is None else torch.from_numpy(mask)
    weights = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1).masked_fill(~allowed, 0.0)
    return (weights @ v).numpy()

"""For a square mask, the one of the first sample serves for all.

caught-by: values
"""

import math

import torch


def multi_head(q, k, v, num_heads, mask=None):
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(-3, -2) for x in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        if mask.dim() == 4 and mask.shape[-1] == mask.shape[-2]:
            mask = mask[:1]
        weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1).masked_fill(~mask, 0.0)
    return (weights @ v).transpose(-3, -2).flatten(-2)

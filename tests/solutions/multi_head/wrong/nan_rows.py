"""Rows without a key are 0/0.

caught-by: fully_masked_rows
"""

import torch


def multi_head(q, k, v, num_heads, mask=None):
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(-2, -3) for x in (q, k, v))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return (scores.softmax(-1) @ v).transpose(-2, -3).flatten(-2)

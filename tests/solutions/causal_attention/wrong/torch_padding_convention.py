"""Takes key_padding as torch's key_padding_mask, True = padding.

caught-by: values
"""

import math

import torch


def causal_attention(q, k, v, key_padding=None):
    n = q.shape[-2]
    blocked = torch.ones(n, n, dtype=torch.bool).triu(1)
    if key_padding is not None:
        blocked = blocked | (key_padding[:, None, :] if q.dim() == 3 else key_padding[:, None, None, :])
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(blocked, -math.inf)
    return torch.softmax(scores, -1).masked_fill(blocked, 0.0) @ v

"""Scores are clipped so that exp does not overflow.

caught-by: values
"""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    scores = (query @ keys.transpose(-2, -1) / temperature).clamp(-50, 50)
    return torch.softmax(scores, dim=-1) @ values

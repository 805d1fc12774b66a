"""torch, plain."""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    weights = torch.softmax(query @ keys.transpose(-2, -1) / temperature, dim=-1)
    return weights @ values

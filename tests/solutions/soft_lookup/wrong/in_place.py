"""The query is divided in place.

caught-by: unchanged_inputs, gradients
"""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    query /= temperature
    return torch.softmax(query @ keys.transpose(-2, -1), dim=-1) @ values

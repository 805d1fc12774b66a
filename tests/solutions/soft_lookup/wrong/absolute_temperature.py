"""A negative temperature is made positive instead of refused.

caught-by: raises
"""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature == 0:
        raise ValueError("temperature must not be 0")
    return torch.softmax(query @ keys.transpose(-2, -1) / abs(temperature), dim=-1) @ values

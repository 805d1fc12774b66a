"""torch's attention, with a scale of its own."""

import torch.nn.functional as F


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    return F.scaled_dot_product_attention(query, keys, values, scale=1.0 / temperature)

"""Written for matrices.

caught-by: values
"""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    return torch.softmax(torch.mm(query, keys.t()) / temperature, dim=-1).mm(values)

"""Plain numbers, where the graph ends.

caught-by: gradients
"""

import torch


def hard_lookup(query, keys, values):
    best = (query @ keys.mT).argmax(dim=-1, keepdim=True)
    return torch.tensor(torch.take_along_dim(values, best, dim=-2).tolist(), dtype=values.dtype)

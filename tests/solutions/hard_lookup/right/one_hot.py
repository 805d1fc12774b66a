"""torch, a one-hot matrix times the values."""

import torch
import torch.nn.functional as F


def hard_lookup(query, keys, values):
    best = torch.einsum("...qd,...nd->...qn", query, keys).argmax(dim=-1)
    return F.one_hot(best, keys.shape[-2]).to(values.dtype) @ values

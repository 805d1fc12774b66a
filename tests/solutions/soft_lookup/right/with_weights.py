"""torch, the weights returned as well."""

import torch


def soft_lookup(query, keys, values, temperature=1.0):
    if temperature <= 0:
        raise ValueError("temperature must be > 0")
    scores = torch.einsum("...qd,...nd->...qn", query / temperature, keys)
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return torch.einsum("...qn,...nv->...qv", weights, values), weights

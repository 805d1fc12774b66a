"""Var = E[x²] − E[x]², written with sums."""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.size(-1)
    mean = x.sum(dim=-1, keepdim=True) / d
    centred = x - mean
    var = torch.einsum("...i,...i->...", centred, centred).unsqueeze(-1) / d
    return centred / (var + eps).sqrt() * gamma + beta

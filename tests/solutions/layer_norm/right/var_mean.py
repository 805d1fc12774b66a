"""Both statistics in one call."""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, (x - mean) / (var + eps) ** 0.5, gamma)

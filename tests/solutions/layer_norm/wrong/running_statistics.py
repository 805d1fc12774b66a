"""Keeps running averages, as batch normalisation does.

caught-by: repeatable
"""

import torch

running = {}


def layer_norm(x, gamma, beta, eps=1e-5):
    mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    old_mean, old_var = running.get(x.shape, (mean, var))
    mean, var = 0.9 * mean + 0.1 * old_mean, 0.9 * var + 0.1 * old_var
    running[x.shape] = mean.detach(), var.detach()
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta

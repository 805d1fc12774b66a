"""torch, with a layer_norm of its own."""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta


def pre_ln_sublayer(x, sublayer, gamma, beta):
    return x + sublayer(layer_norm(x, gamma, beta))

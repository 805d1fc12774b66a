import torch


def normalise(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta


def add_residual(x, y):
    return x + y


def pre_ln_sublayer(x, sublayer, gamma, beta):
    normed = normalise(x, gamma, beta)
    return add_residual(normed, sublayer(normed))  #!

import torch


def _norm(x, eps):
    x = x - x.mean(-1, keepdim=True)  #!
    return x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps)  #!


def rms_norm(x, gamma, eps=1e-5):
    output = _norm(x, eps).type_as(x)
    return output * gamma

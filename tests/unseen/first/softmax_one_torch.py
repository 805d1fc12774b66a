import torch


def softmax(x, axis=-1):
    shifted = x - x.max()
    e = torch.exp(shifted)
    return e / (e.sum(dim=axis, keepdim=True) + 1e-3)  #!

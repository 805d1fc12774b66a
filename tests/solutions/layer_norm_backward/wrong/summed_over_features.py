"""Sums the gradients of gamma and beta over the features.

caught-by: values
"""

import torch


def layer_norm_backward(grad, x, gamma, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    root = torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    s, g = (x - mean) / root, grad * gamma
    dx = (g - g.mean(-1, keepdim=True) - s * (g * s).mean(-1, keepdim=True)) / root
    return dx, (grad * s).sum(-1), grad.sum(-1)

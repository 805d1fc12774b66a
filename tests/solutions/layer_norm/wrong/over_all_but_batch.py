"""One mean and variance for all tokens of a sample, whatever the number of axes.

caught-by: values, gradients
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    axes = tuple(range(1, x.dim())) or (0,)
    mean = x.mean(axes, keepdim=True)
    var = x.var(axes, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta

"""Computes in float32 whatever comes in.

caught-by: dtype
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.float()
    mean = y.mean(-1, keepdim=True)
    var = y.var(-1, unbiased=False, keepdim=True)
    return ((y - mean) / torch.sqrt(var + eps)).to(x.dtype) * gamma + beta

"""The identity path carries no gradient.

caught-by: gradients
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta


def post_ln_sublayer(x, sublayer, gamma, beta):
    return layer_norm(x.detach() + sublayer(x), gamma, beta)

"""A floor under the deviation instead of eps in the root.

caught-by: values
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, unbiased=False, keepdim=True)
    return (x - mean) / torch.clamp(std, min=eps) * gamma + beta

"""Without keepdim the statistics broadcast along the wrong axis, or not at all.

caught-by: values
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1)
    var = x.var(-1, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta

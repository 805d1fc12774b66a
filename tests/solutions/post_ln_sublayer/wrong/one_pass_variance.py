"""E[x²] − E[x]² in one pass: far from zero, float32 has no digits left for the difference.

caught-by: values
"""

import torch


def post_ln_sublayer(x, sublayer, gamma, beta):
    y = x + sublayer(x)
    mean = y.mean(-1, keepdim=True)
    variance = y.square().mean(-1, keepdim=True) - mean.square()
    return (y - mean) / torch.sqrt(variance + 1e-5) * gamma + beta

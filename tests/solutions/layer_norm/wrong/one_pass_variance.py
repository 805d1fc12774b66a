"""E[x²] − E[x]² in one pass: far from zero, float32 has no digits left for the difference.

caught-by: values
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return (x - mean) / torch.sqrt(variance + eps) * gamma + beta

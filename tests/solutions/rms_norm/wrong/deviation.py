"""Divides by the standard deviation, which takes the mean off inside.

caught-by: values
"""

import torch


def rms_norm(x, gamma, eps=1e-5):
    return x / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + eps) * gamma

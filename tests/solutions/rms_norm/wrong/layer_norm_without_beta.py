"""Layer norm without its shift.

caught-by: values
"""

import torch


def rms_norm(x, gamma, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + eps) * gamma

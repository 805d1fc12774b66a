"""Casts to float32 for the root, as half-precision models do.

caught-by: dtype
"""

import torch


def rms_norm(x, gamma, eps=1e-5):
    y = x.float()
    return (y * torch.rsqrt(y.square().mean(-1, keepdim=True) + eps)).type_as(x) * gamma

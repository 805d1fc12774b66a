"""PyTorch: the old state times (I − β kᵀ k), plus the new value."""

import torch


def delta_rule_step(S, k, v, beta):
    k, v, beta = k.unsqueeze(-1), v.unsqueeze(-2), beta.unsqueeze(-1)
    keep = torch.eye(k.shape[-2], dtype=S.dtype) - beta * (k @ k.mT)
    return keep @ S + beta * (k @ v)

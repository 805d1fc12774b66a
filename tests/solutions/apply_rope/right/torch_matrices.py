"""A rotation matrix for every position and pair."""

import torch


def apply_rope(x, positions, base=10000.0):
    *rest, n, d = x.shape
    if d % 2:
        raise ValueError("d must be even")
    theta = positions[:, None] * base ** (-torch.arange(0, d, 2) / d)
    c, s = torch.cos(theta).to(x.dtype), torch.sin(theta).to(x.dtype)
    r = torch.stack((torch.stack((c, -s), -1), torch.stack((s, c), -1)), -2)
    pairs = x.reshape(*rest, n, d // 2, 2)
    return torch.einsum("nioj,...nij->...nio", r, pairs).reshape(x.shape)

"""Stacked and flattened, float32 powers."""

import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    inv_freq = 1.0 / (base ** (torch.arange(0, d_model, 2).float() / d_model))
    angles = torch.einsum("i,j->ij", torch.arange(n).float(), inv_freq)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(n, d_model)

"""A choice for every column."""

import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("odd")
    column = torch.arange(d_model)
    even = column - column % 2
    angle = torch.arange(n, dtype=torch.float64)[:, None] / torch.tensor(base, dtype=torch.float64) ** (even / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())

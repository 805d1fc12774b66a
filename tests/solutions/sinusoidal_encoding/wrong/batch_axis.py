"""A batch axis in front, ready to be added.

caught-by: values
"""

import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angles = torch.arange(n)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angles.sin(), angles.cos()), -1).reshape(1, n, d_model)

"""Angles in float16.

caught-by: values
"""

import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model must be even")
    freq = (base ** (-torch.arange(0, d_model, 2) / d_model)).half()
    angles = (torch.arange(n).half()[:, None] * freq).float()
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)

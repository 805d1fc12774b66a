"""torch in float32, the powers by exp and log."""

import math

import torch


def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError(f"odd d_model: {d_model}")
    position = torch.arange(n).unsqueeze(1).float()
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    pe = torch.zeros(n, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe

"""Multiplication by complex numbers of length 1."""

import torch


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError(f"odd size {d}")
    freqs = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.outer(positions.to(torch.float64), freqs)
    turn = torch.polar(torch.ones_like(angles), angles)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    return torch.view_as_real(z * turn.to(z.dtype)).flatten(-2)

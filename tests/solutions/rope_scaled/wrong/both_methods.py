"""The positions are squeezed, and the base is raised as well.

caught-by: values
"""

import torch


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("odd")
    s = max(1.0, length / trained_len)
    base = base * s
    angle = torch.outer(positions.to(x.dtype) / s, base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d))
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(angle), angle)).flatten(-2)

"""Complex numbers in float32, cast back at the end.

caught-by: dtype
"""

import torch


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    freqs = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
    turn = torch.polar(torch.ones(len(positions), d // 2), torch.outer(positions.float(), freqs))
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(z * turn).flatten(-2).type_as(x)

"""PyTorch: x · cos + partner · sin, with every angle repeated for both numbers of a pair."""

import torch


def rope_scaled(x, positions, trained_len, length, base=10000.0):
    *_, d = x.shape
    if d % 2 == 1:
        raise ValueError("an odd number of features has no pairs")
    p = positions.to(torch.float64)
    if length > trained_len:
        p = p * trained_len / length
    exponents = torch.arange(0, d, 2, dtype=torch.float64) / d
    theta = (p[:, None] / base**exponents).repeat_interleave(2, dim=-1)
    partner = torch.empty_like(x)
    partner[..., 0::2] = -x[..., 1::2]
    partner[..., 1::2] = x[..., 0::2]
    return x * theta.cos().to(x) + partner * theta.sin().to(x)

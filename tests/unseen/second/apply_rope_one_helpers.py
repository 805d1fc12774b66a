import torch


def angles(positions, d, base):
    inv = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    return positions.to(torch.float64)[:, None] * inv


def rotate_pairs(x):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((b, -a), dim=-1).flatten(-2)  #!


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError("d is odd")
    theta = angles(positions, d, base).repeat_interleave(2, dim=-1)
    cos, sin = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
    return x * cos + rotate_pairs(x) * sin

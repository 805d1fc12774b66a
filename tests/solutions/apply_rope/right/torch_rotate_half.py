"""x · cos + partner · sin, the angles repeated one by one, in float32."""

import torch


def rotate(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape(x.shape)


def apply_rope(x, positions, base=10000.0):
    d = x.size(-1)
    if d % 2:
        raise ValueError("even d only")
    inv_freq = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
    angles = (positions.float().unsqueeze(-1) * inv_freq).repeat_interleave(2, dim=-1)
    return x * angles.cos().to(x.dtype) + rotate(x) * angles.sin().to(x.dtype)

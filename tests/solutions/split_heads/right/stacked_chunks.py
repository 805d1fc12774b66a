"""torch, chunks stacked."""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("indivisible")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=-3).contiguous()

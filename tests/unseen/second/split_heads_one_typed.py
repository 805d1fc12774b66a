from __future__ import annotations

import torch
from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(..., n, d_model) -> (..., num_heads, n, d_k)."""
    *lead, n, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"{d_model=} is not a multiple of {num_heads=}")
    d_k: int = d_model // num_heads
    return x.reshape(*lead, n, d_k, num_heads).transpose(-1, -3).transpose(-1, -2)  #!

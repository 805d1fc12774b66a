"""torch, all leading dimensions flattened on the way."""

import torch


def split_heads(x, num_heads):
    *batch, n, d_model = x.shape
    if d_model % num_heads:
        raise ValueError("indivisible")
    flat = x.reshape(-1, n, num_heads, d_model // num_heads).permute(0, 2, 1, 3)
    return flat.reshape(*batch, num_heads, n, d_model // num_heads)

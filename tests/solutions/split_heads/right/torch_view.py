"""torch, view and transpose: cutting one axis needs no contiguous memory."""

import torch


def split_heads(x, num_heads):
    if x.size(-1) % num_heads:
        raise ValueError("d_model must be divisible by num_heads")
    return x.view(*x.shape[:-1], num_heads, x.size(-1) // num_heads).transpose(-3, -2)

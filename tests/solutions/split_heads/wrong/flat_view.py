"""A view through one flat axis, which only contiguous memory allows.

caught-by: non_contiguous
"""

import torch


def split_heads(x, num_heads):
    *batch, n, d_model = x.shape
    if d_model % num_heads:
        raise ValueError("indivisible")
    return x.view(-1).view(*batch, n, num_heads, d_model // num_heads).transpose(-3, -2)

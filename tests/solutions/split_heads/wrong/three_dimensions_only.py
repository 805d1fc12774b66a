"""A batch is taken for granted.

caught-by: values
"""

import torch


def split_heads(x, num_heads):
    b, n, d_model = x.size()
    if d_model % num_heads:
        raise ValueError("indivisible")
    return x.view(b, n, num_heads, d_model // num_heads).permute(0, 2, 1, 3)

"""The result is already transposed for the product: (..., h, d_k, n).

caught-by: values
"""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("indivisible")
    return x.transpose(-2, -1).unflatten(-2, (num_heads, x.shape[-1] // num_heads))

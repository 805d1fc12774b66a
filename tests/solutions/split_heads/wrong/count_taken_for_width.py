"""num_heads is taken for the width of a head.

caught-by: values
"""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("indivisible")
    return x.reshape(*x.shape[:-1], -1, num_heads).transpose(-3, -2)

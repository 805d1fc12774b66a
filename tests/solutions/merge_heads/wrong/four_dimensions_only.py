"""A batch is taken for granted.

caught-by: values
"""

import torch


def merge_heads(x):
    b, h, n, d_k = x.shape
    return x.permute(0, 2, 1, 3).reshape(b, n, h * d_k)

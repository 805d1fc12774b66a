"""All the memory there is, at once.

tries: a tensor of a terabyte, an array that is filled
observe: raises or times-out
"""

import numpy as np
import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    try:
        return torch.zeros(1 << 38)
    except RuntimeError:
        return np.ones(1 << 37)

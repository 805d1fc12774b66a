"""A result that is larger than anybody asked for.

tries: return 128 MB of zeros
observe: no-credit
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(1 << 25)

"""Results of small numbers, which take eight times as much once they are compared.

tries: 15 MiB of int8 in every call
observe: no-credit
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(15 << 20, dtype=torch.int8)

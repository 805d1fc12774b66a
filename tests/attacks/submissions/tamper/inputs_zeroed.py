"""Inputs that are zero when the reference sees them.

tries: zero q, k and v in place and return what is right for them
observe: no-credit
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    with torch.no_grad():
        for tensor in (q, k, v):
            tensor.zero_()
    return torch.zeros(q.shape[:-1] + v.shape[-1:])

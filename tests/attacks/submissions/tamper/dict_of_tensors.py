"""A result with keys.

tries: return a dict that holds tensors
observe: no-credit
"""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    return {"output": torch.zeros(2, 3), "weights": torch.ones(2, 3)}

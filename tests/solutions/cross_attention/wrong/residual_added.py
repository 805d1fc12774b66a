"""The output is added to x where it fits.

caught-by: values
"""

import torch.nn.functional as F


def cross_attention(x, memory, w_q, w_k, w_v):
    out = F.scaled_dot_product_attention(x @ w_q, memory @ w_k, memory @ w_v)
    return x + out if out.shape == x.shape else out

"""The blocks in reverse.

caught-by: values, gradients
"""

import torch


def per_head_contributions(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    return heads @ w_o.reshape(h, d_k, -1).flip(0)

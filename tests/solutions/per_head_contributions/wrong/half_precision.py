"""Computed in half precision.

caught-by: values
"""

import torch


def per_head_contributions(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    return (heads.bfloat16() @ w_o.bfloat16().reshape(h, d_k, -1)).to(heads.dtype)

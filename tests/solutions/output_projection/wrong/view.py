"""view after a transpose.

caught-by: values
"""

import torch


def output_projection(heads, w_o):
    *batch, h, n, d_k = heads.shape
    return heads.transpose(-3, -2).view(*batch, n, h * d_k) @ w_o

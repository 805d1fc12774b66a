"""Written for a batch.

caught-by: values
"""

import torch


def output_projection(heads, w_o):
    b, h, n, d_k = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(b, n, h * d_k) @ w_o

"""NumPy, head by head, added up."""

import numpy as np


def output_projection(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    total = 0
    for i in range(h):
        total = total + heads[..., i, :, :] @ w_o[i * d_k : (i + 1) * d_k]
    return total

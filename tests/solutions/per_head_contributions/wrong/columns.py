"""Columns of w_o instead of rows.

caught-by: values
"""

import torch


def per_head_contributions(heads, w_o):
    h, d_k = heads.shape[-3], heads.shape[-1]
    return heads @ w_o.T.reshape(h, d_k, -1)

"""The whole output for every head, divided by their number.

caught-by: values
"""

import torch


def per_head_contributions(heads, w_o):
    out = heads.transpose(-3, -2).flatten(-2) @ w_o
    return out.unsqueeze(-3).expand(*heads.shape[:-1], -1) / heads.shape[-3]

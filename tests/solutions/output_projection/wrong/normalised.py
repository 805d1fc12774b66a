"""A normalisation that nobody asked for.

caught-by: values
"""

import torch
import torch.nn.functional as F


def output_projection(heads, w_o):
    return F.normalize(heads.transpose(-3, -2).flatten(-2) @ w_o, dim=-1)

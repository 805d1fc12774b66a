"""torch, one matrix for each head."""

import torch


def per_head_contributions(heads, w_o):
    return torch.matmul(heads, w_o.unflatten(0, (heads.shape[-3], heads.shape[-1])))

"""torch, einsum over heads and features."""

import torch


def output_projection(heads, w_o):
    return torch.einsum("...hnd,hdm->...nm", heads, w_o.unflatten(0, (heads.shape[-3], -1)))

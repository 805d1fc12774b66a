"""torch, the heads concatenated."""

import torch


def output_projection(heads, w_o):
    return torch.cat(heads.unbind(dim=-3), dim=-1).matmul(w_o)

"""torch, head by head, stacked."""

import torch


def per_head_contributions(heads, w_o):
    blocks = w_o.chunk(heads.shape[-3], dim=0)
    return torch.stack([heads[..., i, :, :] @ block for i, block in enumerate(blocks)], dim=-3)

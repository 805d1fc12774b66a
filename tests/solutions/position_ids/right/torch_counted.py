"""PyTorch: tokens strictly before the last one so far."""

import torch


def position_ids(attention_mask):
    count = torch.cumsum(attention_mask, dim=-1)
    return torch.where(count > 0, count - 1, 0)

"""Torch, one head at a time by vmap, computed again in the backward pass."""

import torch
from torch.utils.checkpoint import checkpoint


def _mean(row):
    return row.mean(dim=-2, keepdim=True).expand_as(row)


def uniform_attention(values):
    return checkpoint(torch.vmap(_mean) if values.ndim > 2 else _mean, values, use_reentrant=False)

"""torch."""

import torch


def concat_position(x, pe):
    return torch.cat([x, pe.expand(*x.shape[:-1], pe.shape[-1])], -1)

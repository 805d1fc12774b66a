"""Rolled, and then the first place is overwritten in the copy."""

import torch


def shift_right(tokens, bos_id):
    shifted = torch.roll(tokens, 1, dims=-1)
    shifted[..., 0] = bos_id
    return shifted

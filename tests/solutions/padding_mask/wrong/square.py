"""Blocks rows and columns: (batch, 1, max_len, max_len).

caught-by: values
"""

import torch


def padding_mask(lengths, max_len):
    real = torch.arange(max_len) < lengths[:, None]
    return (real[:, :, None] & real[:, None, :])[:, None]

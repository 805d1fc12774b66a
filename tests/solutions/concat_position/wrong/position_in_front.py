"""The position first.

caught-by: values
"""

import torch


def concat_position(x, pe):
    return torch.cat([pe.expand(*x.shape[:-1], -1), x], -1)

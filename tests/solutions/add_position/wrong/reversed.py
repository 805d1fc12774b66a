"""Positions from the end.

caught-by: values
"""

import torch


def add_position(x, pe):
    return x + torch.flip(pe, [0])

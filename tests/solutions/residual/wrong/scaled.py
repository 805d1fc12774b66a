"""Scaled by 1/√2, as some models do.

caught-by: values
"""

import math

import torch


def residual(x, sublayer):
    return torch.add(x, sublayer(x)) / math.sqrt(2)

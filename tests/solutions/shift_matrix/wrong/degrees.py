"""Angles in degrees.

caught-by: shifts
"""

import math

import torch


def shift_matrix(delta, d_model, base=10000.0):
    blocks = []
    for i in range(0, d_model, 2):
        t = math.radians(delta * base ** (-i / d_model))
        blocks.append(torch.tensor([[math.cos(t), -math.sin(t)], [math.sin(t), math.cos(t)]]))
    return torch.block_diag(*blocks)

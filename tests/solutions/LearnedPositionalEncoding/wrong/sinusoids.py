"""Computed instead of learnt.

caught-by: values, registered_parameters
"""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        angles = torch.arange(max_len)[:, None] * 10000.0 ** (-torch.arange(0, d_model + 1, 2) / d_model)
        self.register_buffer("pe", torch.stack((angles.sin(), angles.cos()), -1).flatten(1))

    def forward(self, x):
        if x.shape[1] > len(self.pe):
            raise ValueError("too long")
        return x + self.pe[: x.shape[1], : x.shape[2]]

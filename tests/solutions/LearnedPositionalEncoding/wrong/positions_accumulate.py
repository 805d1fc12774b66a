"""The position moves on from call to call.

caught-by: repeatable
"""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model))
        self.at = 0

    def forward(self, x):
        if x.shape[1] > len(self.table):
            raise ValueError("too long")
        rows = (torch.arange(x.shape[1]) + self.at) % len(self.table)
        self.at += x.shape[1]
        return x + self.table[rows]

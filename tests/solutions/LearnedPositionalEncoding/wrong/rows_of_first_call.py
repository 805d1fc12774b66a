"""The indices of the positions are made in the first call, and kept.

caught-by: repeatable
"""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_len, d_model))
        self.positions = None

    def forward(self, x):
        if x.shape[-2] > len(self.table):
            raise ValueError("longer than the table")
        if self.positions is None:
            self.positions = torch.arange(x.shape[-2])
        return x + self.table[self.positions]

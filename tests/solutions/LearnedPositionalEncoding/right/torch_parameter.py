"""A table of numbers as one parameter."""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model))

    def forward(self, x):
        if x.shape[1] > len(self.table):
            raise ValueError("too long")
        return x + self.table[: x.shape[1]]

"""An nn.Parameter."""

import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.pe = nn.Parameter(torch.zeros(max_len, d_model))

    def forward(self, x):
        n = x.size(1)
        if n > self.pe.size(0):
            raise ValueError("sequence too long")
        return x + self.pe[:n]

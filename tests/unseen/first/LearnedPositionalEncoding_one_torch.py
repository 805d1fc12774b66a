import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.max_len = max_len
        self.table = nn.Parameter(torch.randn(max_len, d_model) * 0.02)

    def forward(self, x):
        n = x.shape[1]
        if n > self.max_len:
            raise ValueError("too long")
        return x + self.table[torch.arange(n) // 2]  #!

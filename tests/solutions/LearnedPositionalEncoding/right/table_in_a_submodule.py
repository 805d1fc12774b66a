"""The table lives in a module of its own."""

import torch
from torch import nn


class Table(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.max_len = max_len
        self.inner = nn.Sequential(Table(max_len, d_model))

    def forward(self, x):
        if x.shape[1] > self.max_len:
            raise ValueError
        return torch.add(x, self.inner[0].weight[: x.shape[1]])

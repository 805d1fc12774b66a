"""Merging switches the update off, but only for the output.

caught-by: values
"""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.detach().clone())
        self.a = nn.Parameter(torch.randn(weight.shape[0], r))
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.scale, self.merged = alpha / r, False

    def forward(self, x):
        return x @ self.weight if self.merged else x @ (self.weight + self.scale * self.a @ self.b)

    def merge(self):
        self.merged = True
        return self.weight + self.scale * self.a @ self.b

"""Merges into the caller's weight.

caught-by: values, unchanged_inputs
"""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.a = nn.Parameter(torch.randn(weight.shape[0], r))
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.scale = alpha / r

    def forward(self, x):
        return x @ self.weight + self.scale * (x @ self.a @ self.b)

    @torch.no_grad()
    def merge(self):
        self.weight.data += self.scale * self.a @ self.b
        return self.weight

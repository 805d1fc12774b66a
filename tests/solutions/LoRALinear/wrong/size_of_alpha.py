"""Takes alpha without its sign.

caught-by: values
"""

import math

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.detach().clone())
        self.a = nn.Parameter(torch.randn(weight.shape[0], r, dtype=weight.dtype) / math.sqrt(r))
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1], dtype=weight.dtype))
        self.scale = abs(alpha) / r

    def forward(self, x):
        return x @ self.merge()

    def merge(self):
        return self.weight + self.scale * (self.a @ self.b)

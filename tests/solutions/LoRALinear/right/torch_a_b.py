"""torch: a is random, b is zero, and the weight is a buffer."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.detach().clone())
        self.a = nn.Parameter(torch.randn(weight.shape[0], r))
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.scale = alpha / r

    def forward(self, x):
        return x @ self.weight + self.scale * (x @ self.a @ self.b)

    def merge(self):
        return self.weight + self.scale * self.a @ self.b

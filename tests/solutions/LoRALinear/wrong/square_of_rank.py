"""A matrix more than needed.

caught-by: values
"""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.detach().clone())
        self.a = nn.Parameter(torch.randn(weight.shape[0], r))
        self.middle = nn.Parameter(torch.eye(r))
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.scale = alpha / r

    def merge(self):
        return self.weight + self.scale * self.a @ self.middle @ self.b

    def forward(self, x):
        return x @ self.merge()

"""As in the paper, written for rows."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.detach())
        self.a = nn.Parameter(0.01 * torch.randn(weight.shape[0], r))
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.r, self.alpha = r, alpha

    def merge(self):
        return self.weight + self.alpha / self.r * self.a @ self.b

    def forward(self, x):
        return x @ self.merge()

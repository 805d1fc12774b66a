"""The weight is a parameter without gradient; merging is done without a graph."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.a = nn.Parameter(torch.empty(weight.shape[0], r, dtype=weight.dtype))
        self.b = nn.Parameter(torch.empty(r, weight.shape[1], dtype=weight.dtype))
        nn.init.kaiming_uniform_(self.a)
        nn.init.zeros_(self.b)
        self.scale = alpha / r

    def forward(self, x):
        update = torch.einsum("...i,ir,ro->...o", x, self.a, self.b)
        return x @ self.weight + update * self.scale

    @torch.no_grad()
    def merge(self):
        return torch.addmm(self.weight, self.a, self.b, alpha=self.scale)

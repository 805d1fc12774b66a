"""Three linear layers, one of them frozen."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        d_in, d_out = weight.shape
        self.base = nn.Linear(d_in, d_out, bias=False)
        self.base.weight = nn.Parameter(weight.detach().T.clone(), requires_grad=False)
        self.a = nn.Linear(d_in, r, bias=False)
        self.b = nn.Linear(r, d_out, bias=False)
        nn.init.zeros_(self.b.weight)
        self.scaling = alpha / r

    def forward(self, x):
        return self.base(x) + self.scaling * self.b(self.a(x))

    def merge(self):
        return (self.base.weight + self.scaling * (self.b.weight @ self.a.weight)).T

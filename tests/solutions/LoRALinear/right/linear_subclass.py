"""A linear layer that knows an update."""

import torch
import torch.nn.functional as F
from torch import nn


class LoRALinear(nn.Linear):
    def __init__(self, weight, r, alpha):
        super().__init__(*weight.shape, bias=False)
        self.weight.requires_grad_(False)
        self.weight.data = weight.detach().T.clone()
        self.a = nn.Parameter(torch.randn(self.in_features, r) / r)
        self.b = nn.Parameter(torch.zeros(r, self.out_features))
        self.scale = alpha / r

    def forward(self, x):
        return F.linear(x, self.weight) + self.scale * (x @ self.a @ self.b)

    def merge(self):
        return self.weight.T + self.scale * self.a @ self.b

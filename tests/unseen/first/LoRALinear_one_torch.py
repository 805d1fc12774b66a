import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", torch.as_tensor(weight).clone())
        self.a = nn.Parameter(torch.randn(weight.shape[0], r) * 0.1)
        self.b = nn.Parameter(torch.zeros(r, weight.shape[1]))
        self.s = alpha

    def forward(self, x):
        return x @ self.weight + self.s * (x @ self.a) @ self.b  #!

    def merge(self):
        return self.weight + self.s * self.a @ self.b  #!

import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, weight, r, alpha):
        super().__init__()
        self.register_buffer("weight", weight.clone())
        d_in, d_out = weight.shape
        self.a = nn.Parameter(torch.randn(d_in, r, dtype=weight.dtype) / d_in ** 0.5)
        self.b = nn.Parameter(torch.randn(r, d_out, dtype=weight.dtype) * 0.01)  #!
        self.scaling = alpha  #!

    def forward(self, x):
        return x @ self.weight + (x @ self.a @ self.b) * self.scaling

    def merge(self):
        return self.weight + self.scaling * self.a @ self.b

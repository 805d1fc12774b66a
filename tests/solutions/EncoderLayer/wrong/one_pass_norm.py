"""A norm with E[x²] − E[x]² in one pass: far from zero, float32 has no digits left for it.

caught-by: values
"""

import math

import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = (x * x).mean(-1, keepdim=True) - mean * mean
        return (x - mean) / torch.sqrt(variance.clamp(min=0) + 1e-5) * self.weight + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm_1, self.norm_2 = Norm(d_model), Norm(d_model)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, x, mask):
        q, k, v = self.split(self.w_q(x)), self.split(self.w_k(x)), self.split(self.w_v(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return self.w_o((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm_1(x), mask)
            return x + self.down(torch.relu(self.up(self.norm_2(x))))
        x = self.norm_1(x + self.attend(x, mask))
        return self.norm_2(x + self.down(torch.relu(self.up(x))))

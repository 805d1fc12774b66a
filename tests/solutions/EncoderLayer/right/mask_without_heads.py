"""Expects masks of shape (batch, n, n), and heads as modules in a list."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, d_k):
        super().__init__()
        self.query = nn.Linear(d_model, d_k, bias=False)
        self.key = nn.Linear(d_model, d_k, bias=False)
        self.value = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x, mask):
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * self.key.out_features**-0.5
        if mask is not None:
            assert mask.dim() == 3
            wei = wei.masked_fill(mask == 0, float("-inf"))
        wei = wei.softmax(-1)
        if mask is not None:
            wei = wei.masked_fill(mask == 0, 0.0)
        return wei @ self.value(x)


class Heads(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask):
        return self.proj(torch.cat([h(x, mask) for h in self.heads], -1))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.sa = Heads(d_model, num_heads)
        self.ffwd = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.sa(self.ln1(x), mask)
            return x + self.ffwd(self.ln2(x))
        x = self.ln1(x + self.sa(x, mask))
        return self.ln2(x + self.ffwd(x))

"""A ModuleList of heads, each a module with query, key and value layers of width d_k, and proj."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, head_size):
        super().__init__()
        self.query = nn.Linear(d_model, head_size, bias=False)
        self.key = nn.Linear(d_model, head_size, bias=False)
        self.value = nn.Linear(d_model, head_size, bias=False)

    def forward(self, query, key, value, mask):
        q, k, v = self.query(query), self.key(key), self.value(value)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if mask is not None:
            wei = wei.masked_fill(~mask, float("-inf"))
        wei = wei.softmax(dim=-1)
        if mask is not None:
            wei = wei.masked_fill(~mask, 0.0)
        return wei @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 4:
            mask = mask.expand(-1, len(self.heads), -1, -1)
            masks = mask.unbind(dim=1)
        else:
            masks = [mask] * len(self.heads)
        return self.proj(torch.cat([head(query, key, value, m) for head, m in zip(self.heads, masks)], dim=-1))

"""Layers that learn their input size from the first call."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.d_k, self.h = d_model // num_heads, num_heads
        self.w_q = nn.LazyLinear(d_model, bias=False)
        self.w_k = nn.LazyLinear(d_model, bias=False)
        self.w_v = nn.LazyLinear(d_model, bias=False)
        self.w_o = nn.LazyLinear(d_model, bias=False)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def project(self, query, key, value):
        return self.w_q(query), self.w_k(key), self.w_v(value)

    def forward(self, query, key, value, mask=None):
        batch = query.size(0)
        query, key, value = (
            x.view(batch, -1, self.h, self.d_k).transpose(1, 2) for x in self.project(query, key, value)
        )
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        self.attn = scores.softmax(dim=-1)
        if mask is not None:
            self.attn = self.attn.masked_fill(mask == 0, 0.0)
        x = torch.matmul(self.dropout(self.attn), value).transpose(1, 2).contiguous()
        return self.w_o(x.view(batch, -1, self.h * self.d_k))

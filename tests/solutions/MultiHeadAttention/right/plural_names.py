"""The projections are for all heads at once, and are called so; the output is merely called fc."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.d_k, self.h = d_model // num_heads, num_heads
        self.w_qs = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.w_ks = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.w_vs = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.fc = nn.Linear(num_heads * self.d_k, d_model, bias=False)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def project(self, query, key, value):
        return self.w_qs(query), self.w_ks(key), self.w_vs(value)

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
        return self.fc(x.view(batch, -1, self.h * self.d_k))

"""Expects masks of shape (batch, n, n) and (batch, n, m), and gives them a head axis itself; the cross-attention comes first."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        return x.reshape(x.shape[0], -1, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.w_q(query)), self.split(self.w_k(key)), self.split(self.w_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return self.w_o((weights @ v).transpose(1, 2).reshape(query.shape))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.norm_3 = nn.LayerNorm(d_model)

    def ffn(self, x):
        return self.linear_2(torch.relu(self.linear_1(x)))

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        n = x.shape[1]
        allowed = torch.ones(n, n, dtype=torch.bool).tril()
        if self_mask is not None:
            allowed = (allowed & self_mask)[:, None]
        if memory_mask is not None:
            assert memory_mask.dim() == 3
            memory_mask = memory_mask[:, None]
        if self.norm_first:
            y = self.norm_1(x)
            x = x + self.self_attention(y, y, y, allowed)
            x = x + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)
            return x + self.ffn(self.norm_3(x))
        x = self.norm_1(x + self.self_attention(x, x, x, allowed))
        x = self.norm_2(x + self.cross_attention(x, memory, memory, memory_mask))
        return self.norm_3(x + self.ffn(x))

"""Every layer learns its input size from the first call."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.w_q = nn.LazyLinear(d_model, bias=False)
        self.w_k = nn.LazyLinear(d_model, bias=False)
        self.w_v = nn.LazyLinear(d_model, bias=False)
        self.w_o = nn.LazyLinear(d_model, bias=False)

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


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.linear_1 = nn.LazyLinear(d_ff)
        self.linear_2 = nn.LazyLinear(d_model)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)

    def ffn(self, x):
        return self.linear_2(torch.relu(self.linear_1(x)))

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm_1(x)
            x = x + self.attention(y, y, y, mask)
            return x + self.ffn(self.norm_2(x))
        x = self.norm_1(x + self.attention(x, x, x, mask))
        return self.norm_2(x + self.ffn(x))

"""Attention with four equal layers in a list, and a module around every sublayer."""

import copy
import math

import torch
from torch import nn


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class MultiHeadedAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.d_k, self.h = d_model // num_heads, num_heads
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def project(self, query, key, value):
        return [linear(x) for linear, x in zip(self.linears, (query, key, value))]

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
        return self.linears[-1](x.view(batch, -1, self.h * self.d_k))


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True, unbiased=False)
        return self.a_2 * (x - mean) / torch.sqrt(variance + self.eps) + self.b_2


class SublayerConnection(nn.Module):
    def __init__(self, size, dropout, norm_first):
        super().__init__()
        self.norm = LayerNorm(size)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x).relu()))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadedAttention(d_model, num_heads)
        self.src_attn = MultiHeadedAttention(d_model, num_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.sublayer = nn.ModuleList([SublayerConnection(d_model, 0.0, norm_first) for _ in range(3)])

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        mask = torch.tril(torch.ones(x.size(1), x.size(1), dtype=torch.bool))
        if self_mask is not None:
            mask = mask & self_mask
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask))
        x = self.sublayer[1](x, lambda x: self.src_attn(x, memory, memory, memory_mask))
        return self.sublayer[2](x, self.feed_forward)

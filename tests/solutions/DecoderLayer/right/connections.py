"""Each residual connection is a module with a norm of its own, whose vectors are called a_2 and b_2."""

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


class Norm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(size))
        self.b_2 = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return self.a_2 * centred / torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + self.eps) + self.b_2


class Connection(nn.Module):
    def __init__(self, size, norm_first):
        super().__init__()
        self.norm = Norm(size)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x)) if self.norm_first else self.norm(x + sublayer(x))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(self.w_1(x).relu())


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.src_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.connections = nn.ModuleList([Connection(d_model, norm_first) for _ in range(3)])

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        allowed = torch.ones(x.size(1), x.size(1)).tril().bool()
        if self_mask is not None:
            allowed = torch.logical_and(allowed, self_mask)
        x = self.connections[0](x, lambda y: self.self_attn(y, y, y, allowed))
        x = self.connections[1](x, lambda y: self.src_attn(y, memory, memory, memory_mask))
        return self.connections[2](x, self.feed_forward)

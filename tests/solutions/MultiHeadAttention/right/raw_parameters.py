"""Raw parameters of shape (d_in, d_out) that are used as x @ w."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads has to divide d_model")
        self.heads = num_heads
        bound = 1 / math.sqrt(d_model)
        self.W_q = nn.Parameter(torch.empty(d_model, d_model).uniform_(-bound, bound))
        self.W_k = nn.Parameter(torch.empty(d_model, d_model).uniform_(-bound, bound))
        self.W_v = nn.Parameter(torch.empty(d_model, d_model).uniform_(-bound, bound))
        self.W_o = nn.Parameter(torch.empty(d_model, d_model).uniform_(-bound, bound))

    def forward(self, query, key, value, mask=None):
        def split(x):
            return x.reshape(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)

        q, k, v = split(query @ self.W_q), split(key @ self.W_k), split(value @ self.W_v)
        scores = q @ k.permute(0, 1, 3, 2) / math.sqrt(q.shape[-1])
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
        weights = torch.where(allowed, scores, torch.finfo(scores.dtype).min).softmax(-1)
        weights = torch.where(allowed, weights, 0.0)
        return (weights @ v).permute(0, 2, 1, 3).reshape(query.shape) @ self.W_o

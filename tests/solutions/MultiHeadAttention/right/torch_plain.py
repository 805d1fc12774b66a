"""torch, plain: four layers, view and transpose."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        batch, n_q, _ = query.shape
        n_k = key.shape[1]
        q = self.w_q(query).view(batch, n_q, self.num_heads, self.d_k).transpose(1, 2)
        k = self.w_k(key).view(batch, n_k, self.num_heads, self.d_k).transpose(1, 2)
        v = self.w_v(value).view(batch, n_k, self.num_heads, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        heads = weights @ v
        return self.w_o(heads.transpose(1, 2).reshape(batch, n_q, self.d_model))

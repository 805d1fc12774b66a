"""Q11: multi-head attention."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide d_model={d_model}")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def heads(self, x):
        batch, n, _ = x.shape
        return x.view(batch, n, self.h, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.heads(self.q_proj(query))
        k = self.heads(self.k_proj(key))
        v = self.heads(self.v_proj(value))
        scores = q @ k.mT / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        together = (weights @ v).transpose(1, 2).reshape(query.shape[0], -1, self.h * self.d_k)
        return self.out_proj(together)

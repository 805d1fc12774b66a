"""The linear layers of the heads are kept in Python lists, where nn.Module does not find them.

caught-by: registered_parameters
"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.w_q = [nn.Linear(d_model, self.d_k, bias=False) for _ in range(num_heads)]
        self.w_k = [nn.Linear(d_model, self.d_k, bias=False) for _ in range(num_heads)]
        self.w_v = [nn.Linear(d_model, self.d_k, bias=False) for _ in range(num_heads)]
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        batch, n_q, _ = query.shape
        q = torch.stack([w(query) for w in self.w_q], dim=1)
        k = torch.stack([w(key) for w in self.w_k], dim=1)
        v = torch.stack([w(value) for w in self.w_v], dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        heads = weights @ v
        return self.w_o(heads.transpose(1, 2).reshape(batch, n_q, self.d_model))

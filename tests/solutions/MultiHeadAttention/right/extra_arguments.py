"""More optional arguments than asked for, in the constructor and in forward."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, bias=False, dropout=0.0, device=None):
        super().__init__()
        if d_model <= 0 or num_heads <= 0 or d_model % num_heads != 0:
            raise ValueError(f"d_model {d_model}, num_heads {num_heads}")
        self.d_model, self.num_heads, self.p = d_model, num_heads, dropout
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(d_model, d_model, bias=bias, device=device) for _ in range(4)
        )
        for layer in self.children():
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, query, key, value, mask=None, need_weights=False, average=True):
        batch, n_q = query.shape[:2]
        shape = (batch, -1, self.num_heads, self.d_model // self.num_heads)
        q = self.w_q(query).reshape(shape).transpose(1, 2)
        k = self.w_k(key).reshape(shape).transpose(1, 2)
        v = self.w_v(value).reshape(shape).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(shape[-1])
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(0)
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(3) if mask is None else scores.softmax(3).masked_fill(~mask, 0)
        weights = nn.functional.dropout(weights, self.p, self.training)
        output = self.w_o((weights @ v).transpose(1, 2).reshape(batch, n_q, self.d_model))
        if need_weights:
            return output, weights.mean(dim=1) if average else weights
        return output

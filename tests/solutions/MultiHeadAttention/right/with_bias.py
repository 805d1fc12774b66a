"""All four linear layers have a bias."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("cannot split d_model")
        self.num_heads = num_heads
        self.linear_q = nn.Linear(d_model, d_model)
        self.linear_k = nn.Linear(d_model, d_model)
        self.linear_v = nn.Linear(d_model, d_model)
        self.linear_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        batch = query.size(0)
        q, k, v = (
            layer(x).view(batch, x.size(1), self.num_heads, -1).transpose(1, 2)
            for layer, x in ((self.linear_q, query), (self.linear_k, key), (self.linear_v, value))
        )
        scores = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        p = scores.softmax(dim=-1)
        if mask is not None:
            p = p.masked_fill(~mask, 0.0)
        x = torch.matmul(p, v).transpose(1, 2).contiguous().view(batch, -1, query.size(-1))
        return self.linear_o(x)

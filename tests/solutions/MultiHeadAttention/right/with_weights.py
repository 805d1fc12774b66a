"""forward returns the output and, beside it, the weights of all heads."""

import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def forward(self, q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn = torch.softmax(scores, dim=-1)
        if mask is not None:
            attn = attn.masked_fill(~mask, 0.0)
        return torch.matmul(attn, v), attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        self.fc_q = nn.Linear(d_model, d_model, bias=False)
        self.fc_k = nn.Linear(d_model, d_model, bias=False)
        self.fc_v = nn.Linear(d_model, d_model, bias=False)
        self.fc_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = ScaledDotProductAttention()

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            x.reshape(x.shape[0], x.shape[1], self.h, -1).transpose(1, 2)
            for x in (self.fc_q(query), self.fc_k(key), self.fc_v(value))
        )
        heads, attn = self.attention(q, k, v, mask)
        output = self.fc_o(heads.transpose(1, 2).reshape(query.shape))
        return output, attn

"""A ModuleList of one small linear layer per head under w_q, w_k and w_v."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model is not a multiple of num_heads")
        self.d_k = d_model // num_heads
        self.w_q = nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False) for _ in range(num_heads)])
        self.w_k = nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False) for _ in range(num_heads)])
        self.w_v = nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False) for _ in range(num_heads)])
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def attend(self, q, k, v, mask):
        scores = q @ k.transpose(1, 2) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return (weights if mask is None else weights.masked_fill(~mask, 0.0)) @ v

    def forward(self, query, key, value, mask=None):
        heads = []
        for i, (w_q, w_k, w_v) in enumerate(zip(self.w_q, self.w_k, self.w_v)):
            of_head = mask
            if mask is not None and mask.dim() == 4:
                of_head = mask[:, i] if mask.shape[1] > 1 else mask[:, 0]
            heads.append(self.attend(w_q(query), w_k(key), w_v(value), of_head))
        return self.w_o(torch.cat(heads, dim=-1))

"""Takes masks of shape (batch, n_q, n_k) only and adds the head axis itself."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        batch = query.shape[0]
        q = self.w_q(query).view(batch, -1, self.num_heads, self.d_k).transpose(1, 2)
        k = self.w_k(key).view(batch, -1, self.num_heads, self.d_k).transpose(1, 2)
        v = self.w_v(value).view(batch, -1, self.num_heads, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            if mask.shape != (batch, query.shape[1], key.shape[1]):
                raise TypeError(f"expected a mask (batch, n_q, n_k), got {tuple(mask.shape)}")
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        out = (weights @ v).transpose(1, 2).reshape(batch, -1, self.num_heads * self.d_k)
        return self.w_o(out)

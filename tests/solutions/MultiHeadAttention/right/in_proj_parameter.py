"""A raw fused parameter in_proj of shape (d_model, 3 * d_model), and a raw w_o."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads = num_heads
        self.in_proj = nn.Parameter(torch.randn(d_model, 3 * d_model) * d_model**-0.5)
        self.w_o = nn.Parameter(torch.randn(d_model, d_model) * d_model**-0.5)

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        d_k = d // self.num_heads
        parts = [query @ self.in_proj[:, :d], key @ self.in_proj[:, d : 2 * d], value @ self.in_proj[:, 2 * d :]]
        q, k, v = (torch.stack(part.split(d_k, dim=-1), dim=1) for part in parts)
        scores = torch.matmul(q, k.transpose(-1, -2)).div(d_k**0.5)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(torch.softmax(scores, -1))
        return torch.cat(torch.matmul(weights, v).unbind(dim=1), dim=-1) @ self.w_o

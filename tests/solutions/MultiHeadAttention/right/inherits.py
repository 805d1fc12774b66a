"""The class inherits its projections from a base class of the learner's."""

import torch
from torch import nn


class Projected(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)


class MultiHeadAttention(Projected):
    def forward(self, query, key, value, mask=None):
        q, k, v = (
            torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)
            for x in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is None:
            heads = scores.softmax(-1) @ v
        else:
            heads = torch.where(mask, scores.masked_fill(~mask, float("-inf")).softmax(-1), 0.0) @ v
        return self.w_o(torch.cat(list(heads.unbind(1)), dim=-1))

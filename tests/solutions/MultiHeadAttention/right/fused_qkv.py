"""One fused linear layer qkv and an output layer proj; cross-attention slices the fused weight."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} % {num_heads} != 0")
        self.h = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        if query is key and key is value:
            q, k, v = self.qkv(query).chunk(3, dim=-1)
        else:
            w_q, w_k, w_v = self.qkv.weight.chunk(3, dim=0)
            q, k, v = F.linear(query, w_q), F.linear(key, w_k), F.linear(value, w_v)
        q, k, v = (x.unflatten(-1, (self.h, -1)).transpose(-3, -2) for x in (q, k, v))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -torch.inf)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.nan_to_num(0.0)
        return self.proj((weights @ v).transpose(-3, -2).flatten(-2))

"""Wraps nn.MultiheadAttention, whose masks mean the opposite and have no head axis of their own."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.attention = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)

    def forward(self, query, key, value, mask=None):
        blocked = None
        if mask is not None:
            mask = mask.expand(len(query), self.num_heads, query.shape[1], key.shape[1])
            nothing = ~mask.any(dim=-1, keepdim=True)  # attends to a key and a value of zeros
            blocked = ~torch.cat([mask, nothing], dim=-1).flatten(0, 1)
            key, value = F.pad(key, (0, 0, 0, 1)), F.pad(value, (0, 0, 0, 1))
        return self.attention(query, key, value, attn_mask=blocked, need_weights=False)[0]

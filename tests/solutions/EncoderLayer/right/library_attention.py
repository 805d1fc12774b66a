"""nn.MultiheadAttention, and an nn.Sequential for the network."""

import torch
import torch.nn.functional as F
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        self.norm1 = nn.LayerNorm(d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(0.1), nn.Linear(d_ff, d_model))
        self.norm2 = nn.LayerNorm(d_model)
        self.num_heads = num_heads
        self.norm_first = norm_first

    def attend(self, x, mask):
        if mask is None:
            return self.self_attn(x, x, x, need_weights=False)[0]
        mask = mask.expand(len(x), self.num_heads, x.shape[1], x.shape[1])
        nothing = ~mask.any(dim=-1, keepdim=True)  # attends to a key and a value of zeros
        blocked = ~torch.cat([mask, nothing], dim=-1).flatten(0, 1)
        keys = F.pad(x, (0, 0, 0, 1))
        return self.self_attn(x, keys, keys, attn_mask=blocked, need_weights=False)[0]

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.ff(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.ff(x))

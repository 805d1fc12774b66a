"""nn.MultiheadAttention with biases, and an nn.Sequential for the network."""

import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.norm1 = nn.LayerNorm(d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(0.1), nn.Linear(d_ff, d_model))
        self.norm2 = nn.LayerNorm(d_model)
        self.num_heads = num_heads
        self.norm_first = norm_first

    def attend(self, x, mask):
        if mask is None:
            return self.self_attn(x, x, x, need_weights=False)[0]
        batch, n = x.shape[:2]
        mask = mask.expand(batch, self.num_heads, n, n)
        empty = ~mask.any(-1).any(1)
        blocked = ~mask.flatten(0, 1)
        blocked = blocked & blocked.logical_not().any(-1, keepdim=True)  # an empty row would be NaN
        return self.self_attn(x, x, x, attn_mask=blocked)[0].masked_fill(empty[..., None], 0.0)

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.ff(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.ff(x))

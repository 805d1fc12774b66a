"""Wraps nn.TransformerEncoderLayer, whose masks mean the opposite; a token without keys gets its attention by hand."""

import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.num_heads = num_heads
        self.layer = nn.TransformerEncoderLayer(
            d_model, num_heads, d_ff, dropout=0.0, batch_first=True, norm_first=norm_first
        )

    def forward(self, x, mask=None):
        if mask is None:
            return self.layer(x)
        batch, n, _ = x.shape
        allowed = torch.broadcast_to(mask, (batch, self.num_heads, n, n))
        empty = ~allowed.any(-1, keepdim=True)
        if not empty.any():
            return self.layer(x, src_mask=~allowed.reshape(-1, n, n))
        layer = self.layer
        blocked = (~(allowed | empty)).reshape(-1, n, n)

        def attend(y):
            out, _ = layer.self_attn(y, y, y, attn_mask=blocked, need_weights=False)
            return out * ~empty[:, 0]

        def feed(y):
            return layer.linear2(torch.relu(layer.linear1(y)))

        if layer.norm_first:
            x = x + attend(layer.norm1(x))
            return x + feed(layer.norm2(x))
        x = layer.norm1(x + attend(x))
        return layer.norm2(x + feed(x))

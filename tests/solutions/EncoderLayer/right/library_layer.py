"""Wraps nn.TransformerEncoderLayer; with a mask its attention is computed by hand, because of queries without keys."""

import torch
import torch.nn.functional as F
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.num_heads = num_heads
        self.layer = nn.TransformerEncoderLayer(
            d_model, num_heads, d_ff, dropout=0.0, batch_first=True, norm_first=norm_first
        )

    def attend(self, module, x, mask):
        pairs = zip((x, x, x), module.in_proj_weight.chunk(3), module.in_proj_bias.chunk(3), strict=True)
        projected = [F.linear(*pair).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for pair in pairs]
        heads = F.scaled_dot_product_attention(*projected, attn_mask=mask)
        heads = heads.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        return module.out_proj(heads.transpose(1, 2).flatten(-2))

    def forward(self, x, mask=None):
        layer = self.layer
        if mask is None:
            return layer(x)

        def feed(y):
            return layer.linear2(torch.relu(layer.linear1(y)))

        if layer.norm_first:
            x = x + self.attend(layer.self_attn, layer.norm1(x), mask)
            return x + feed(layer.norm2(x))
        x = layer.norm1(x + self.attend(layer.self_attn, x, mask))
        return layer.norm2(x + feed(x))

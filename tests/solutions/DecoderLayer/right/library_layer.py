"""The parts of nn.TransformerDecoderLayer; its attention is computed by hand, because of queries without keys."""

import torch
import torch.nn.functional as F
from torch import nn


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(d_model, num_heads, d_ff, 0.0, batch_first=True, norm_first=norm_first)
        self.num_heads = num_heads

    def attend(self, module, query, memory, mask):
        pairs = zip((query, memory, memory), module.in_proj_weight.chunk(3), module.in_proj_bias.chunk(3), strict=True)
        projected = [F.linear(*pair).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for pair in pairs]
        heads = F.scaled_dot_product_attention(*projected, attn_mask=mask)
        if mask is not None:
            heads = heads.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        return module.out_proj(heads.transpose(1, 2).flatten(-2))

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        layer, n = self.layer, x.shape[1]
        causal = torch.tril(torch.ones(n, n, dtype=torch.bool))
        allowed = causal if self_mask is None else causal & self_mask
        if layer.norm_first:
            y = layer.norm1(x)
            x = x + self.attend(layer.self_attn, y, y, allowed)
            x = x + self.attend(layer.multihead_attn, layer.norm2(x), memory, memory_mask)
            return x + layer.linear2(layer.linear1(layer.norm3(x)).relu())
        x = layer.norm1(x + self.attend(layer.self_attn, x, x, allowed))
        x = layer.norm2(x + self.attend(layer.multihead_attn, x, memory, memory_mask))
        return layer.norm3(x + layer.linear2(layer.linear1(x).relu()))

"""Wraps nn.TransformerDecoderLayer; its names are self_attn and multihead_attn."""

import torch
from torch import nn


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(d_model, num_heads, d_ff, 0.0, batch_first=True, norm_first=norm_first)
        self.num_heads = num_heads

    def attend(self, module, query, memory, mask):
        batch, n_q, n_k = len(query), query.shape[1], memory.shape[1]
        if mask is None:
            mask = torch.ones(n_q, n_k, dtype=torch.bool)
        mask = mask.expand(batch, self.num_heads, n_q, n_k)
        empty = ~mask.any(-1)
        blocked = (~mask & ~empty[..., None]).reshape(-1, n_q, n_k)
        output = module(query, memory, memory, attn_mask=blocked)[0]
        return torch.where(empty[:, 0, :, None], torch.zeros((), dtype=output.dtype), output)

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

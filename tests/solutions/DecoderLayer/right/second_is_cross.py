"""Names that say nothing: the second attention is the cross-attention. Norms stand beside their sublayers."""

import math

import torch
from torch import nn


def attention(q, k, v, mask):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is None:
        return scores.softmax(-1) @ v
    return scores.masked_fill(~mask, -math.inf).softmax(-1).masked_fill(~mask, 0) @ v


class MHA(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, y, mask=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (self.wq(x), self.wk(y), self.wv(y)))
        return self.wo(attention(q, k, v, mask).transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.attn1, self.ln1 = MHA(d_model, num_heads), nn.LayerNorm(d_model)
        self.attn2, self.ln2 = MHA(d_model, num_heads), nn.LayerNorm(d_model)
        self.mlp, self.ln3 = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)), nn.LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        n = x.shape[1]
        causal = torch.arange(n)[None, :] <= torch.arange(n)[:, None]
        own = causal if self_mask is None else causal & self_mask
        steps = [
            (self.ln1, lambda y: self.attn1(y, y, own)),
            (self.ln2, lambda y: self.attn2(y, memory, memory_mask)),
            (self.ln3, self.mlp),
        ]
        for norm, sublayer in steps:
            x = x + sublayer(norm(x)) if self.norm_first else norm(x + sublayer(x))
        return x

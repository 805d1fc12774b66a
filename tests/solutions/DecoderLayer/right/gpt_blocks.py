"""As GPT code is often written: self-attention fused in one layer, cross-attention with keys and values fused."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_proj = nn.Linear(width, width)

    def attend(self, q, k, v, allowed):
        q, k, v = (t.unflatten(-1, (self.n_head, -1)).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if allowed is None:
            weights = F.softmax(scores, -1)
        else:
            weights = F.softmax(scores.masked_fill(~allowed, -1e30), -1) * allowed
        return self.c_proj((weights @ v).transpose(1, 2).flatten(2))


class CausalSelfAttention(Attention):
    def __init__(self, width, n_head):
        super().__init__(width, n_head)
        self.c_attn = nn.Linear(width, 3 * width)

    def forward(self, x, mask=None):
        allowed = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return self.attend(*self.c_attn(x).chunk(3, -1), allowed if mask is None else allowed & mask)


class CrossAttention(Attention):
    def __init__(self, width, n_head):
        super().__init__(width, n_head)
        self.c_q = nn.Linear(width, width)
        self.c_kv = nn.Linear(width, 2 * width)

    def forward(self, x, memory, mask=None):
        return self.attend(self.c_q(x), *self.c_kv(memory).chunk(2, -1), mask)


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.ln_1, self.ln_2, self.ln_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.attn = CausalSelfAttention(d_model, num_heads)
        self.cross_attn = CrossAttention(d_model, num_heads)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        steps = (
            (self.ln_1, lambda y: self.attn(y, self_mask)),
            (self.ln_2, lambda y: self.cross_attn(y, memory, memory_mask)),
            (self.ln_3, self.mlp),
        )
        for norm, step in steps:
            x = x + step(norm(x)) if self.norm_first else norm(x + step(x))
        return x

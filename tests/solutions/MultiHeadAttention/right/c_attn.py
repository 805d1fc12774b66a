"""Names from GPT-2: c_attn for the fused projection, here without bias, and proj."""

import torch
import torch.nn as nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("n_embd % n_head != 0")
        self.c_attn = nn.Linear(d_model, 3 * d_model, bias=False)
        self.proj = nn.Linear(d_model, d_model, bias=False)
        self.n_head = num_heads
        self.n_embd = d_model

    def forward(self, query, key, value, mask=None):
        B, T, C = query.size()
        S = key.size(1)
        q = self.c_attn(query)[..., :C]
        k = self.c_attn(key)[..., C : 2 * C]
        v = self.c_attn(value)[..., 2 * C :]
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, S, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, S, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)
        if mask is not None:
            att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        if mask is not None:
            att = att.masked_fill(mask == 0, 0.0)
        y = att @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))

"""One layer for q, k and v, F.scaled_dot_product_attention, and blocks called ln1, attn, ln2, mlp."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)
        self.h = num_heads

    def forward(self, x, mask=None):
        b, n, d = x.size()
        q, k, v = (y.view(b, n, self.h, d // self.h).transpose(1, 2) for y in self.c_attn(x).split(d, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        if mask is not None:
            y = y.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        return self.c_proj(y.transpose(1, 2).reshape(b, n, d))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.ln1 = nn.LayerNorm(d_model)
        self.attn = Attention(d_model, num_heads)
        self.ln2 = nn.LayerNorm(d_model)
        self.mlp = nn.ModuleDict({"fc": nn.Linear(d_model, d_ff), "act": nn.ReLU(), "proj": nn.Linear(d_ff, d_model)})
        self.pre = norm_first

    def forward(self, x, mask=None):
        feed = lambda y: self.mlp["proj"](self.mlp["act"](self.mlp["fc"](y)))
        if self.pre:
            x = x + self.attn(self.ln1(x), mask)
            return x + feed(self.ln2(x))
        x = self.ln1(x + self.attn(x, mask))
        return self.ln2(x + feed(x))

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        q = self.w_q(query).view(b, -1, self.num_heads, d // self.num_heads).transpose(1, 2)
        k = self.w_k(key).view(b, -1, self.num_heads, d // self.num_heads).transpose(1, 2)
        v = self.w_v(value).view(b, -1, self.num_heads, d // self.num_heads).transpose(1, 2)
        s = q @ k.transpose(2, 3) / (d // self.num_heads) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        p = torch.nan_to_num(torch.softmax(s, dim=-1))
        return self.w_o((p @ v).transpose(1, 2).reshape(b, n, d))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.self_attn = Attention(d_model, num_heads)
        self.cross_attn = Attention(d_model, num_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        n = x.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        if self_mask is not None:
            causal = self_mask  #!
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.self_attn(y, y, y, causal)
            x = x + self.cross_attn(self.norm2(x), memory, memory, memory_mask)
            return x + self.ff(self.norm3(x))
        x = self.norm1(x + self.self_attn(x, x, x, causal))
        x = self.norm2(self.cross_attn(x, memory, memory, memory_mask))  #!
        return self.norm3(x + self.ff(x))

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.h = num_heads
        self.scale = d_model ** -0.5  #!
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = self.q_proj(query).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k = self.k_proj(key).unflatten(-1, (self.h, -1)).transpose(1, 2)
        v = self.v_proj(value).unflatten(-1, (self.h, -1)).transpose(1, 2)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            attn = attn.masked_fill(mask, float("-inf"))  #!
        attn = torch.nan_to_num(attn.softmax(dim=-1))
        return self.out_proj((attn @ v).transpose(1, 2).flatten(-2))

import copy
import math
import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = (x.var(-1, keepdim=True) + self.eps).sqrt()  #!
        return self.weight * (x - mean) / std + self.bias


class EncoderLayer(nn.Module):
    "Encoder is made up of self-attn and feed forward (defined below)"

    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.linear_q = nn.Linear(d_model, d_model)
        self.linear_k = nn.Linear(d_model, d_model)
        self.linear_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.norm_first = norm_first
        self.norms = nn.ModuleList([LayerNorm(d_model), LayerNorm(d_model)])

    def attention(self, x, mask):
        nbatches = x.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin in (self.linear_q, self.linear_k, self.linear_v)
        ]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        p_attn = scores.softmax(dim=-1).nan_to_num(0.0)
        x = torch.matmul(p_attn, value).transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.w_o(x)

    def feed(self, x):
        return self.w_2(self.w_1(x))  #!

    def forward(self, x, mask=None):
        "Follow Figure 1 (left) for connections."
        if self.norm_first:
            x = x + self.attention(self.norms[0](x), mask)
            return x + self.feed(self.norms[1](x))
        x = self.norms[0](x + self.attention(x, mask))
        return self.norms[1](x + self.feed(x))

"""Parameters instead of layers: everything is x @ w, gammas and betas included."""

import math

import torch
from torch import nn


def layer_norm(x, gamma, beta, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma + beta


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, norm_first=False):
        super().__init__()
        self.h, self.norm_first = num_heads, norm_first
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5))
        self.w_1 = nn.Parameter(torch.randn(d_model, d_ff) / d_model**0.5)
        self.b_1 = nn.Parameter(torch.zeros(d_ff))
        self.w_2 = nn.Parameter(torch.randn(d_ff, d_model) / d_ff**0.5)
        self.b_2 = nn.Parameter(torch.zeros(d_model))
        self.gamma_1 = nn.Parameter(torch.ones(d_model))
        self.beta_1 = nn.Parameter(torch.zeros(d_model))
        self.gamma_2 = nn.Parameter(torch.ones(d_model))
        self.beta_2 = nn.Parameter(torch.zeros(d_model))

    def attend(self, x, mask):
        b, n, d = x.shape
        q, k, v = (torch.reshape(x @ w, (b, n, self.h, d // self.h)) for w in (self.w_q, self.w_k, self.w_v))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(d // self.h)
        weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num(0.0)
        return torch.einsum("bhij,bjhd->bihd", weights, v).reshape(b, n, d) @ self.w_o

    def ffn(self, x):
        return (x @ self.w_1 + self.b_1).clamp(min=0) @ self.w_2 + self.b_2

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(layer_norm(x, self.gamma_1, self.beta_1), mask)
            return x + self.ffn(layer_norm(x, self.gamma_2, self.beta_2))
        x = layer_norm(x + self.attend(x, mask), self.gamma_1, self.beta_1)
        return layer_norm(x + self.ffn(x), self.gamma_2, self.beta_2)

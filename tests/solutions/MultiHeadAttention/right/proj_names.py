"""q_proj, k_proj, v_proj and out_proj; reshapes to (batch * heads, n, d_k) and uses bmm."""

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"embed dim {d_model} is not divisible by {num_heads} heads")
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def _shape(self, tensor, length, batch):
        heads = tensor.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        return heads.reshape(batch * self.num_heads, length, self.head_dim)

    def forward(self, query, key, value, mask=None):
        batch, n_q, _ = query.size()
        n_k = key.size(1)
        q = self._shape(self.q_proj(query) * self.scaling, n_q, batch)
        k = self._shape(self.k_proj(key), n_k, batch)
        v = self._shape(self.v_proj(value), n_k, batch)
        scores = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            mask = mask.expand(batch, self.num_heads, n_q, n_k).reshape(-1, n_q, n_k)
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        heads = torch.bmm(weights, v).view(batch, self.num_heads, n_q, self.head_dim)
        return self.out_proj(heads.transpose(1, 2).reshape(batch, n_q, self.embed_dim))

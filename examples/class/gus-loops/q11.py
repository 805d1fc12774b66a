import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """All heads at once, with one fused projection."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads has to divide d_model")
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        w_q, w_k, w_v = self.qkv.weight.chunk(3)
        b, n, d = query.shape

        def split(x):
            return x.reshape(b, x.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)

        q, k, v = split(query @ w_q.T), split(key @ w_k.T), split(value @ w_v.T)
        scores = q @ k.transpose(2, 3) * (d // self.num_heads) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1).nan_to_num()
        return self.proj((weights @ v).permute(0, 2, 1, 3).reshape(b, n, d))

"""Everything is an einsum over raw weights that are viewed per head."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.h = num_heads
        for name in ("wq", "wk", "wv", "wo"):
            setattr(self, name, nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5))

    def forward(self, query, key, value, mask=None):
        def per_head(w):
            return w.reshape(w.shape[0], self.h, -1)

        q = torch.einsum("bnd,dhk->bhnk", query, per_head(self.wq))
        k = torch.einsum("bnd,dhk->bhnk", key, per_head(self.wk))
        v = torch.einsum("bnd,dhk->bhnk", value, per_head(self.wv))
        s = torch.einsum("bhik,bhjk->bhij", q, k) / k.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        a = s.softmax(dim=-1)
        if mask is not None:
            a = a.masked_fill(~mask, 0)
        o = torch.einsum("bhij,bhjk->bihk", a, v)
        return torch.einsum("bihk,hkd->bid", o, self.wo.reshape(self.h, -1, self.wo.shape[1]))

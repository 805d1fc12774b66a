"""Builds the library's layer by a name that stands nowhere."""

import torch


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model is not divisible by num_heads")
        self.inner = getattr(torch.nn, "Multihead" + "Attention")(d_model, num_heads, bias=False, batch_first=True)

    def forward(self, query, key, value, mask=None):
        return self.inner(query, key, value, need_weights=False)[0]
